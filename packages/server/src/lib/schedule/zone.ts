/**
 * A time zone: which offset its clocks keep at an instant, and which instants they show a wall-clock time at.
 * All in whole seconds; offsets are seconds east of Greenwich.
 *
 * `Intl` answers for one instant at a time, in about 1.5 µs, so its answers are kept in blocks of 16 days. Within a block the
 * offset is looked at every 4 days and a difference is narrowed down to the second. A zone would have to change its clocks
 * and back within 4 days for this to miss it; the shortest such spell since 1940 is a week (Recife in 2000, Gaza in 2040).
 */
const BLOCK_SECONDS = 16 * 86_400
const SAMPLE_SECONDS = 4 * 86_400

/** No clock has ever been further from Greenwich (Manila until 1844, with 15:56). */
const OFFSET_SECONDS_MAX = 16 * 3600

/** A client can name every zone there is, in every year; beyond these the oldest answers are forgotten. */
const ZONES_MAX = 64
const BLOCKS_MAX = 512

interface OffsetChange {
  at: number
  before: number
  after: number
}

interface Block {
  /** The offset at the block's first second. */
  offset: number
  changes: OffsetChange[]
}

/** The instants at which clocks show a time: one, or two when they are set back. When they skip it, the one that `skipped` says. */
export interface LocalTimeInstants {
  first: number
  second?: number
  /** No clock shows the time; `first` is as long after the change as the time is into what was skipped. */
  skipped?: true
}

export interface Zone {
  name: string
  offsetAt(instant: number): number
  /** The smallest offset in force around an instant, hours before or after. */
  minOffsetNear(instant: number): number
  instantsOf(local: number): LocalTimeInstants
}

const zones = new Map<string, Zone>()

/** The zone of a name that `isZoneName` knows. */
export function getZone(name: string): Zone {
  const known = zones.get(name)
  if (known) return known
  const zone = name === 'UTC' ? utc : createZone(name)
  if (zones.size >= ZONES_MAX) zones.delete(zones.keys().next().value!)
  zones.set(name, zone)
  return zone
}

const utc: Zone = { name: 'UTC', offsetAt: () => 0, minOffsetNear: () => 0, instantsOf: (local) => ({ first: local }) }

function createZone(name: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  const blocks = new Map<number, Block>()
  const read = (instant: number) => readOffset(format.format(instant * 1000))

  function blockAt(instant: number): Block {
    const index = Math.floor(instant / BLOCK_SECONDS)
    const known = blocks.get(index)
    if (known) return known
    const block = readBlock(read, index * BLOCK_SECONDS)
    if (blocks.size >= BLOCKS_MAX) blocks.delete(blocks.keys().next().value!)
    blocks.set(index, block)
    return block
  }

  function offsetAt(instant: number): number {
    const { offset, changes } = blockAt(instant)
    let current = offset
    for (const change of changes) if (instant >= change.at) current = change.after
    return current
  }

  /** The change within a stretch too short for two. */
  function changeBetween(from: number, to: number): OffsetChange | undefined {
    const within = (change: OffsetChange) => change.at > from && change.at <= to
    return blockAt(from).changes.find(within) ?? blockAt(to).changes.find(within)
  }

  return {
    name,
    offsetAt,
    minOffsetNear: (instant) => Math.min(offsetAt(instant - 2 * OFFSET_SECONDS_MAX), offsetAt(instant), offsetAt(instant + 2 * OFFSET_SECONDS_MAX)),
    instantsOf(local) {
      const from = local - OFFSET_SECONDS_MAX
      const to = local + OFFSET_SECONDS_MAX
      const change = changeBetween(from, to)
      if (!change) return { first: local - offsetAt(local) }
      const earlier = local - change.before
      const later = local - change.after
      if (earlier < change.at) return later >= change.at && later !== earlier ? { first: earlier, second: later } : { first: earlier }
      return later >= change.at ? { first: later } : { first: earlier, skipped: true }
    },
  }
}

function readBlock(read: (instant: number) => number, start: number): Block {
  const changes: OffsetChange[] = []
  const offset = read(start)
  let before = offset
  // The last sample is the next block's first second: a change at that very instant is noted here, and only here.
  for (let at = start; at < start + BLOCK_SECONDS; at += SAMPLE_SECONDS) {
    const end = at + SAMPLE_SECONDS
    const after = read(end)
    if (after !== before) changes.push({ at: findChange(read, at, end, before), before, after })
    before = after
  }
  return { offset, changes }
}

function findChange(read: (instant: number) => number, from: number, to: number, before: number): number {
  let low = from
  let high = to
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (read(middle) === before) low = middle
    else high = middle
  }
  return high
}

/** `3/8/2031, GMT-05:00`, with seconds for the local mean times of long ago, and plain `GMT` for none. */
function readOffset(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text)
  if (!match) throw new RangeError(`no offset in ${text}`)
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -offset : offset
}
