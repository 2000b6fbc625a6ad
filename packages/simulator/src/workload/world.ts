import type { Network } from '../cluster/network.ts'
import type { SimulatedServer } from '../cluster/simulated-server.ts'
import type { VirtualLoop } from '../kernel/virtual-loop.ts'
import type { FaultRates } from '../storage/faults.ts'
import type { SharedDatabase } from '../storage/shared-database.ts'
import type { SimulatedDatabase } from '../storage/simulated-database.ts'
import type { Ledger } from './ledger.ts'

/** The size of the cluster and of its load, drawn from the seed. */
export interface Plan {
  readonly servers: number
  readonly workers: number
  readonly slotHolders: number
  readonly eventSenders: number
  readonly deployments: readonly DeploymentPlan[]
  readonly globalLimit: number
  readonly tagLimit: number
  /** Whether the flow processes renew the leases of their deployment slots. */
  readonly renewsLeases: boolean
  readonly subscribers: number
  /** Automations that match every event. */
  readonly catchAlls: number
  /** Seconds of load with faults. */
  readonly activeSeconds: number
  /** Whether each server runs Fastify too. */
  readonly isComplete: boolean
}

export interface DeploymentPlan {
  readonly name: string
  readonly intervalSeconds: number
  readonly limit: number | null
  readonly collisionStrategy: 'ENQUEUE' | 'CANCEL_NEW'
}

export interface World {
  readonly loop: VirtualLoop
  readonly plan: Plan
  readonly network: Network
  readonly servers: readonly SimulatedServer[]
  readonly database: SimulatedDatabase
  readonly shared: SharedDatabase
  readonly ledger: Ledger
  faults: FaultRates
  /** Programs start nothing new in the calm phase. */
  isCalm: boolean
  /** Ids by name, after the setup. */
  readonly ids: { flow: string; deployments: string[]; queue: string }
}
