import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessUsage {
  readonly cpuSeconds: number
  readonly rssMb: number
  /** Shared pages count once. */
  readonly pssMb: number
  readonly processes: number
  /** Bytes that the processes caused to be written to disk. */
  readonly writtenBytes: number
}

/** Process groups by their role, such as `server` and `database`; each is a list of root processes. */
export type ProcessGroups = Readonly<Record<string, readonly number[]>>

interface ProcessStat {
  readonly parent: number
  readonly ticks: number
}

const ticksPerSecond = 100

/** CPU time and memory of processes and all their descendants. Reads /proc, so that there are no values outside of Linux. */
export function readUsage(roots: readonly number[]): ProcessUsage | undefined {
  const stats = readStats()
  if (!stats) return undefined
  const members = new Set(roots.filter((pid) => stats.has(pid)))
  for (let size = -1; size !== members.size; ) {
    size = members.size
    for (const [pid, { parent }] of stats) if (members.has(parent)) members.add(pid)
  }
  let [ticks, rssKb, pssKb, writtenBytes] = [0, 0, 0, 0]
  for (const pid of members) {
    ticks += stats.get(pid)?.ticks ?? 0
    const memory = readProcFile(pid, 'smaps_rollup')
    rssKb += numberAfter(memory, 'Rss')
    pssKb += numberAfter(memory, 'Pss')
    writtenBytes += numberAfter(readProcFile(pid, 'io'), 'write_bytes')
  }
  return {
    cpuSeconds: ticks / ticksPerSecond,
    rssMb: Math.round(rssKb / 1024),
    pssMb: Math.round(pssKb / 1024),
    processes: members.size,
    writtenBytes,
  }
}

/** The processes that a process started itself. */
export const childrenOf = (pid: number): number[] => [...(readStats() ?? [])].filter(([, { parent }]) => parent === pid).map(([child]) => child)

export const parentOf = (pid: number): number | undefined => parseStat(readProcFile(pid, 'stat'))?.parent

function readStats(): Map<number, ProcessStat> | undefined {
  const found = new Map<number, ProcessStat>()
  for (const name of listProc()) {
    const stat = /^\d+$/.test(name) ? parseStat(readProcFile(Number(name), 'stat')) : undefined
    if (stat) found.set(Number(name), stat)
  }
  return found.size === 0 ? undefined : found
}

function listProc(): string[] {
  try {
    return readdirSync('/proc')
  } catch {
    return []
  }
}

/** Empty for a process that ended, or that belongs to somebody else. */
function readProcFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return ''
  }
}

/** The name of the program may contain spaces and brackets, so that fields count from the last bracket. The CPU time of ended children is included. */
export function parseStat(text: string): ProcessStat | undefined {
  const end = text.lastIndexOf(')')
  if (end === -1) return undefined
  const fields = text.slice(end + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return { parent: Number(fields[1]), ticks }
}

const numberAfter = (text: string, key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
