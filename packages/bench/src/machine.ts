import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'

/** What results depend on. Names of hosts and users are left out: results are published. */
export interface Machine {
  readonly cores: number
  readonly processor: string
  readonly memory_gb: number
  readonly kernel: string
  readonly node: string
}

export function describeMachine(): Machine {
  const processors = cpus()
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() || 'unknown',
    memory_gb: Math.round(totalmem() / 1e9),
    // Without the suffix of a distribution or a cloud.
    kernel: `${process.platform} ${release().replace(/-.*$/, '')}`,
    node: process.versions.node,
  }
}

/** CPU seconds of the whole machine since its start. */
export interface MachineTime {
  readonly busySeconds: number
  readonly stolenSeconds: number
}

const ticksPerSecond = 100

/** Undefined outside of Linux. */
export function readMachineTime(): MachineTime | undefined {
  try {
    return parseMachineTime(readFileSync('/proc/stat', 'utf8'))
  } catch {
    return undefined
  }
}

/** Fields: user, nice, system, idle, iowait, irq, softirq, steal. */
export function parseMachineTime(text: string): MachineTime {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = (/^cpu\s+(.*)$/m.exec(text)?.[1] ?? '').split(/\s+/).map(Number)
  return { busySeconds: (user + nice + system + irq + softirq) / ticksPerSecond, stolenSeconds: steal / ticksPerSecond }
}

export interface Disturbance {
  /** Cores that processes outside of the measurement used. */
  readonly foreignCores: number
  /** Share of the machine's CPU time that its hypervisor gave to others. */
  readonly stealShare: number
  /** Load average of the last minute. */
  readonly load: number
  /** The figures of this time are marked. */
  readonly isBusy: boolean
}

export const foreignCoresMax = 0.2
export const stealShareMax = 0.03

/** Compares two readings around a measurement that used `ownCpuSeconds` of CPU time in all its processes. */
export function describeDisturbance(before: MachineTime, after: MachineTime, seconds: number, ownCpuSeconds: number, cores: number): Disturbance {
  const foreignCores = Math.max(0, (after.busySeconds - before.busySeconds - ownCpuSeconds) / seconds)
  const stealShare = (after.stolenSeconds - before.stolenSeconds) / (seconds * cores)
  const load = loadavg()[0] ?? 0
  return {
    foreignCores: Number(foreignCores.toFixed(2)),
    stealShare: Number(stealShare.toFixed(3)),
    load: Number(load.toFixed(2)),
    isBusy: foreignCores > foreignCoresMax || stealShare > stealShareMax,
  }
}
