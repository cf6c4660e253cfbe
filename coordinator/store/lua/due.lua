#!lua flags=allow-oom
-- due(epoch, job) → {'QUEUED', score} | {'GONE', state}
-- A retry's delay is over: the job rejoins at the tail. Safe to repeat: a queued job answers with its place.
local stale = fenced()
if stale then
  return stale
end
local job = ARGV[2]
local row = key('job:' .. job)
local fields = redis.call('HMGET', row, 'state', 'class', 'priority', 'score')
if fields[1] == 'queued' then
  return {'QUEUED', fields[4]}
end
if fields[1] ~= 'delayed' then
  return {'GONE', fields[1] or 'missing'}
end
local bad = mistyped({['ready:' .. fields[2]] = 'zset', delayed = 'zset', events = 'stream', totals = 'hash'})
if bad then
  return bad
end

local score = place(redis.call('INCR', key('seq')), fields[3])
redis.call('ZREM', key('delayed'), job)
redis.call('HSET', row, 'score', score)
redis.call('ZADD', key('ready:' .. fields[2]), score, job)
move(job, 'delayed', 'queued')
record_event('due', job)
return {'QUEUED', score}
