#!lua flags=allow-oom
-- lost(epoch, token, cause, due_ms, record, only_worker, crash_limit)
--   → {'QUEUED', job, score} | {'DELAYED', job, crashes} | {'QUARANTINED', job, crashes} | {'STALE'}
-- cause: silent (a crash if the job was running), released (never one), infrastructure (always one).
-- Safe to repeat: a token that is gone is STALE.
local stale = fenced()
if stale then
  return stale
end
local token, cause, due, record, only_worker = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local crash_limit = tonumber(ARGV[7])
local job = job_of(token)
if not job then
  return {'STALE'}
end
local row = key('job:' .. job)
local fields = redis.call('HMGET', row, 'state', 'class', 'worker', 'score', 'key')
local state, worker = fields[1], fields[3]
if not tonumber(due) or not crash_limit then
  return {'INVALID', 'due time or crash limit is no number'}
end
local bad = mistyped({['ready:' .. fields[2]] = 'zset', ['crashed:' .. job] = 'set', delayed = 'zset',
  quarantine = 'zset', events = 'stream', totals = 'hash'})
if bad then
  return bad
end

end_lease(token)
redis.call('HDEL', row, 'token')
local crash = cause == 'infrastructure' or (cause == 'silent' and state == 'running')
if not crash then
  redis.call('ZADD', key('ready:' .. fields[2]), fields[4], job)
  move(job, state, 'queued')
  record_event('lost', job, 'token', token, 'cause', cause, 'crash', '0', 'worker', worker)
  return {'QUEUED', job, fields[4]}
end

if record ~= '' then
  redis.call('HSET', row, 'failure', record)
end
redis.call('SADD', key('crashed:' .. job), worker)
local crashes = redis.call('HINCRBY', row, 'crashes', 1)
local workers = redis.call('SCARD', key('crashed:' .. job))
if crashes >= crash_limit and (workers >= 2 or only_worker == '1') then
  redis.call('ZADD', key('quarantine'), crashes, job)
  move(job, state, 'quarantined')
  record_event('lost', job, 'token', token, 'cause', cause, 'crash', '1', 'worker', worker, 'only_worker', only_worker,
    'end', 'quarantined', 'key', fields[5])
  return {'QUARANTINED', job, tostring(crashes)}
end
redis.call('ZADD', key('delayed'), due, job)
move(job, state, 'delayed')
record_event('lost', job, 'token', token, 'cause', cause, 'crash', '1', 'worker', worker)
return {'DELAYED', job, tostring(crashes)}
