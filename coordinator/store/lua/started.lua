#!lua flags=allow-oom
-- started(epoch, token) → {'RUNNING', job} | {'STALE'}
-- From here on, losing the job counts as a crash. Safe to repeat: a running job stays one.
local stale = fenced()
if stale then
  return stale
end
local token = ARGV[2]
local job = job_of(token)
if not job then
  return {'STALE'}
end
if redis.call('HGET', key('job:' .. job), 'state') == 'running' then
  return {'RUNNING', job}
end
local bad = mistyped({events = 'stream', totals = 'hash'})
if bad then
  return bad
end

move(job, 'leased', 'running')
record_event('started', job, 'token', token)
return {'RUNNING', job}
