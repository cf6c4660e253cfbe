#!lua
-- submit(epoch, submit_key, class, priority, problem, spec) → {'QUEUED', job, score} | {'DUP', job}
-- Safe to repeat: the key finds the job that the first call made. A quarantined job has no verdict and never gets one:
-- its key passes to a new job, and it stays as it is but for `again`, which names that one.
local stale = fenced()
if stale then
  return stale
end
local submit_key, class, priority, problem, spec = ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local known = redis.call('HGET', key('dedup'), submit_key)
if known and redis.call('HGET', key('job:' .. known), 'state') ~= 'quarantined' then
  return {'DUP', known}
end
if not tonumber(priority) then
  return {'INVALID', 'priority is no number'}
end
local job = string.format('%.0f', tonumber(redis.call('GET', key('seq')) or '0') + 1)
if redis.call('EXISTS', key('job:' .. job)) == 1 then
  return {'WRONG_TYPE', key('job:' .. job), 'a job that seq has not reached', 'none'}
end
local bad = mistyped({['ready:' .. class] = 'zset', events = 'stream', totals = 'hash'})
if bad then
  return bad
end

redis.call('INCR', key('seq'))
local score = place(job, priority)
redis.call('HSET', key('job:' .. job), 'key', submit_key, 'class', class, 'priority', priority, 'score', score,
  'problem', problem, 'spec', spec, 'attempt', 0, 'crashes', 0)
move(job, nil, 'queued')
redis.call('HSET', key('dedup'), submit_key, job)
if known then
  redis.call('HSET', key('job:' .. known), 'again', job)
end
redis.call('ZADD', key('ready:' .. class), score, job)
record_event('submit', job, 'key', submit_key)
return {'QUEUED', job, score}
