import { LruCache } from '../lru-cache.ts'

/**
 * A time zone: converts between instants and wall-clock times, in whole seconds. Offsets are seconds east of UTC.
 *
 * `Intl` converts one instant at a time in about 1.5 µs, so offsets are cached in blocks of 16 days. Within a block the offset is
 * sampled every 4 days, and a change is located by bisection. A zone that changes its clocks forth and back within 4 days would be
 * missed; the shortest such period since 1940 is a week (Recife in 2000, Gaza in 2040).
 */
const BLOCK_SECONDS = 16 * 86_400
const SAMPLE_SECONDS = 4 * 86_400

/** The largest offset in history is 15:56 (Manila until 1844). */
const OFFSET_SECONDS_MAX = 16 * 3600

/** Cache limits. A client can use every zone in every year. */
const ZONES_MAX = 64
const BLOCKS_MAX = 512

interface OffsetChange {
  at: number
  before: number
  after: number
}

interface Block {
  /** The offset at the start of the block. */
  offset: number
  changes: OffsetChange[]
}

/** The instants of a local time: one, or two when clocks are set back. */
export interface LocalTimeInstants {
  first: number
  second?: number
  /** The local time does not occur; `first` is delayed by the length of the gap. */
  skipped?: true
}

export interface Zone {
  name: string
  offsetAt(instant: number): number
  /** The smallest offset within hours of an instant. */
  minOffsetNear(instant: number): number
  instantsOf(local: number): LocalTimeInstants
}

const zones = new LruCache<string, Zone>({ entriesMax: ZONES_MAX })

/** The zone of a name that `isZoneName` accepts. */
export function getZone(name: string): Zone {
  const cached = zones.get(name)
  if (cached) return cached
  const zone = name === 'UTC' ? utc : createZone(name)
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
    const cached = blocks.get(index)
    if (cached) return cached
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

  /** The offset change in a range too short for two changes. */
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
  // The last sample is the first second of the next block. A change at that instant belongs to this block.
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

/** Parses `3/8/2031, GMT-05:00`, with seconds for local mean times, and plain `GMT` for zero. */
function readOffset(text: string): number {
  const match = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text)
  if (!match) throw new RangeError(`No offset in ${text}`)
  const [, sign, hours = '0', minutes = '0', seconds = '0'] = match
  const offset = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
  return sign === '-' ? -offset : offset
}
