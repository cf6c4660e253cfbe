#!lua flags=allow-oom
-- takeover(at_least, schema) → {'LEADS', epoch} | {'SCHEMA', found} | {'WRONG_TYPE', …}
-- Makes the caller the leader under an epoch above every one seen; its predecessor's next script is refused.
local schema = redis.call('GET', key('schema'))
local stored = redis.call('GET', key('epoch'))
if schema and schema ~= ARGV[2] then
  return {'SCHEMA', schema}
end
if not schema and stored then
  return {'SCHEMA', 'missing'}
end
local bad = mistyped({seq = 'string', events = 'stream', leased = 'hash', delayed = 'zset', quarantine = 'zset',
  dedup = 'hash', recorded = 'hash', totals = 'hash', history = 'hash'})
if bad then
  return bad
end
local epoch = string.format('%.0f', math.max(tonumber(stored or '0'), tonumber(ARGV[1])) + 1)
redis.call('SET', key('schema'), ARGV[2])
redis.call('SET', key('epoch'), epoch)
redis.call('XADD', key('events'), '*', 'event', 'takeover', 'epoch', epoch)
return {'LEADS', epoch}
