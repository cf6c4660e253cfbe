#!lua flags=allow-oom
-- cancel(epoch, job) → {'CANCELLED', token or '', worker or ''} | {'ENDED', state}
-- From any live state; the token is void from here on. Safe to repeat: a cancelled job answers CANCELLED again.
local stale = fenced()
if stale then
  return stale
end
local job = ARGV[2]
local row = key('job:' .. job)
local fields = redis.call('HMGET', row, 'state', 'class', 'token', 'worker', 'key')
local state = fields[1]
if state == 'cancelled' then
  return {'CANCELLED', '', ''}
end
if not state or state == 'done' or state == 'quarantined' then
  return {'ENDED', state or 'missing'}
end
local bad = mistyped({['ready:' .. fields[2]] = 'zset', ['crashed:' .. job] = 'set', leased = 'hash', delayed = 'zset',
  events = 'stream', totals = 'hash'})
if bad then
  return bad
end

local token = fields[3] or ''
redis.call('ZREM', key('ready:' .. fields[2]), job)
redis.call('ZREM', key('delayed'), job)
if token ~= '' then
  end_lease(token)
end
redis.call('HDEL', row, 'token', 'failure')
redis.call('DEL', key('crashed:' .. job))
move(job, state, 'cancelled')
record_event('cancel', job, 'token', token, 'end', 'cancelled', 'key', fields[5])
return {'CANCELLED', token, token ~= '' and fields[4] or ''}
