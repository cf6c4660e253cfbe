#!lua
-- lease(epoch, token, job, worker, incarnation) → {'LEASED', attempt, crashes, spec} | {'GONE', state}
-- Safe to repeat: the token finds the lease that the first call made.
local stale = fenced()
if stale then
  return stale
end
local token, job, worker, incarnation = ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local row = key('job:' .. job)
local held = job_of(token)
if held then
  if held ~= job then
    return {'INVALID', 'the token holds job ' .. held}
  end
  local fields = redis.call('HMGET', row, 'attempt', 'crashes', 'spec')
  return {'LEASED', fields[1], fields[2], fields[3]}
end
local fields = redis.call('HMGET', row, 'state', 'class', 'crashes', 'spec')
if fields[1] ~= 'queued' then
  return {'GONE', fields[1] or 'missing'}
end
local bad = mistyped({['ready:' .. fields[2]] = 'zset', leased = 'hash', events = 'stream', totals = 'hash'})
if bad then
  return bad
end

redis.call('ZREM', key('ready:' .. fields[2]), job)
redis.call('HSET', key('leased'), token, job)
redis.call('HSET', row, 'token', token, 'worker', worker, 'incarnation', incarnation)
local attempt = redis.call('HINCRBY', row, 'attempt', 1)
move(job, 'queued', 'leased')
record_event('lease', job, 'token', token, 'worker', worker)
return {'LEASED', tostring(attempt), fields[3], fields[4]}
