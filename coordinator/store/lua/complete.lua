#!lua flags=allow-oom
-- complete(epoch, token, worker, verdict, record, problem, history) → {'STORED', job} | {'DUP', job} | {'STALE'}
-- Writes the result once. Safe to repeat: `recorded` knows the token of every stored result.
local stale = fenced()
if stale then
  return stale
end
local token, worker, verdict, record, problem, history = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]
local stored = redis.call('HGET', key('recorded'), token)
if stored then
  return {'DUP', stored}
end
local job = job_of(token)
if not job then
  return {'STALE'}
end
local row = key('job:' .. job)
local fields = redis.call('HMGET', row, 'state', 'worker', 'key')
if fields[2] ~= worker then
  return {'STALE'}
end
local bad = mistyped({['result:' .. job] = 'hash', ['crashed:' .. job] = 'set', recorded = 'hash', events = 'stream',
  totals = 'hash', history = 'hash'})
if bad then
  return bad
end

end_lease(token)
redis.call('HSET', key('result:' .. job), 'token', token, 'verdict', verdict, 'record', record)
redis.call('HSET', key('recorded'), token, job)
redis.call('HDEL', row, 'token', 'failure')
redis.call('DEL', key('crashed:' .. job))
if history ~= '' then
  redis.call('HSET', key('history'), problem, history)
end
move(job, fields[1], 'done')
record_event('complete', job, 'token', token, 'verdict', verdict, 'end', 'done', 'key', fields[3])
return {'STORED', job}
