-- Stands in front of every script. KEYS[1] is the queue's prefix, ARGV[1] the caller's epoch.
--
-- A script is atomic but not transactional: an error after its first write leaves that write. So each one checks the
-- epoch, then the token or the state, then the types of all keys it writes, and only then writes.
local prefix = KEYS[1]

local function key(name)
  return prefix .. name
end

-- The answer to a coordinator that has been replaced; nil when the caller leads.
local function fenced()
  local stored = redis.call('GET', key('epoch'))
  if stored ~= ARGV[1] then
    return {'STALE_EPOCH', stored or '0'}
  end
end

-- The answer when a key holds another type than this queue's; nil when all are as they should be.
local function mistyped(wanted)
  for name, kind in pairs(wanted) do
    local found = redis.call('TYPE', key(name)).ok
    if found ~= 'none' and found ~= kind then
      return {'WRONG_TYPE', key(name), found, kind}
    end
  end
end

-- The job whose present lease this token is; nil for any earlier token, or one never given.
local function job_of(token)
  return redis.call('HGET', key('leased'), token) or nil
end

local function end_lease(token)
  redis.call('HDEL', key('leased'), token)
end

local function place(seq, priority)
  return string.format('%.17g', tonumber(seq) - 1000 * tonumber(priority))
end

-- Moves a job between states; `from` is nil for a new one.
local function move(job, from, to)
  redis.call('HSET', key('job:' .. job), 'state', to)
  if from then
    redis.call('HINCRBY', key('totals'), from, -1)
  end
  redis.call('HINCRBY', key('totals'), to, 1)
end

-- One entry for each transition: the audit, what Watch reads, and what the checker judges by.
local function record_event(event, job, ...)
  redis.call('XADD', key('events'), '*', 'event', event, 'epoch', ARGV[1], 'job', job, ...)
end
