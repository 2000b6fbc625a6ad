import type { Percentiles } from './histogram.ts'
import type { Disturbance } from './machine.ts'

export interface GroupUsage {
  readonly cores: number
  readonly cpuMsPerOperation: number
  readonly rssMb: number
}

export interface LoopResult {
  readonly name: string
  readonly unit: string
  readonly users: number
  readonly seconds: number
  /** Right answers only. */
  readonly operations: number
  readonly perSecond: number
  readonly unitsPerSecond: number
  readonly latencyMs: Percentiles | undefined
  readonly errors: number
  /** Number of errors by message. */
  readonly errorKinds?: Readonly<Record<string, number>>
  /** CPU of the client: near 1 it is the limit, and the rate a lower bound. */
  readonly clientCores: number
  /** By process group. */
  readonly usage?: Readonly<Record<string, GroupUsage>>
  /** Change of each counter per operation. */
  readonly counters?: Readonly<Record<string, number>>
  readonly disturbance?: Disturbance
  /** Events that could be read back, for workloads whose server may answer before it stores. */
  readonly stored?: { readonly sent: number; readonly visible: number; readonly perSecond: number }
}
