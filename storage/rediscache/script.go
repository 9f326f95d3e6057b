package rediscache

import "github.com/redis/go-redis/v9"

// Scripts compare versions byte by byte: they are numbers of 64 bits, which Lua's do not
// hold, and Lua's own order of texts is that of a language.
const versions = `
local function version(e) return string.sub(e, 27, 42) end
local function taken(e) return e and #e >= 46 and string.byte(e, 1) == 1 and string.sub(e, 2, 2) == 't' end
local function newer(a, b)
  for i = 1, 16 do
    local x, y = string.byte(a, i), string.byte(b, i)
    if x ~= y then return x > y end
  end
  return false
end
`

// leaseScript gives the entry, or the lease of a name that has none: 1 to the caller who
// got it, 0 to others. An entry that is no use to the caller is dropped first.
// KEYS: entry, tombstone, lease. ARGV: token, ms, the useless entry.
var leaseScript = redis.NewScript(`
local e = redis.call('GET', KEYS[1])
if e and e ~= ARGV[3] then return e end
if not redis.call('SET', KEYS[3], ARGV[1], 'NX', 'PX', ARGV[2]) then return 0 end
if e then redis.call('DEL', KEYS[1]) end
return 1`)

// fillScript stores an entry under the filler's lease, which it ends: 1, or 0 where
// something is known that is newer. Free never replaces taken of its generation.
// KEYS: entry, tombstone, lease. ARGV: token, entry, ms.
var fillScript = redis.NewScript(versions + `
if redis.call('GET', KEYS[3]) ~= ARGV[1] then return 0 end
redis.call('DEL', KEYS[3])
local e, tomb = redis.call('GET', KEYS[1]), redis.call('GET', KEYS[2])
local to = ARGV[2]
if taken(to) and tomb and #tomb == 16 and newer(tomb, version(to)) then return 0 end
if taken(e) and string.sub(e, 3, 18) == string.sub(to, 3, 18) then
  if not taken(to) or newer(version(e), version(to)) then return 0 end
end
redis.call('SET', KEYS[1], to, 'PX', ARGV[3])
return 1`)

// applyScript takes a change of the feed into account: what is older goes, and so does
// the lease, under which something older may be read. The higher tombstone stays.
// KEYS: entry, tombstone, lease. ARGV: version, ms of the tombstone or 0 for none.
var applyScript = redis.NewScript(versions + `
local e = redis.call('GET', KEYS[1])
redis.call('DEL', KEYS[3])
if e and not (taken(e) and newer(version(e), ARGV[1])) then redis.call('DEL', KEYS[1]) end
if ARGV[2] ~= '0' then
  local tomb = redis.call('GET', KEYS[2])
  if not (tomb and #tomb == 16 and newer(tomb, ARGV[1])) then
    redis.call('SET', KEYS[2], ARGV[1], 'PX', ARGV[2])
  end
end
return 1`)

// releaseScript deletes a lease or lock that is the caller's own.
// KEYS: it. ARGV: token.
var releaseScript = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0`)

// holdScript takes or renews a lock: 1, or 0 while another has it.
// KEYS: it. ARGV: token, ms.
var holdScript = redis.NewScript(`
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`)

// beatScript gives the next number and the generation, "" for none.
// KEYS: beat, generation.
var beatScript = redis.NewScript(`
return {redis.call('INCR', KEYS[1]), redis.call('GET', KEYS[2]) or ''}`)

// moveScript replaces the position that the caller knows by another, 1, and says 0 when it
// is another one. It does so beside a new generation, or beside the one that there is.
// KEYS: position, generation. ARGV: known and next position, new generation or "".
var moveScript = redis.NewScript(`
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
if ARGV[3] ~= '' then
  redis.call('SET', KEYS[2], ARGV[3])
elseif redis.call('EXISTS', KEYS[2]) == 0 then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1`)
