import type { Proof } from './proof.ts'
import { cancellations } from './proofs/cancellations.ts'
import { clockJumps } from './proofs/clock-jumps.ts'
import { databaseRestarts } from './proofs/database-restarts.ts'
import { deadProcesses } from './proofs/dead-processes.ts'
import { diskErrors } from './proofs/disk-errors.ts'
import { eventOrder } from './proofs/event-order.ts'
import { frozenReplica } from './proofs/frozen-replica.ts'
import { gracefulStop } from './proofs/graceful-stop.ts'
import { hostileClients } from './proofs/hostile-clients.ts'
import { killReplicas } from './proofs/kill-replicas.ts'
import { killSqlite } from './proofs/kill-sqlite.ts'
import { scheduleReplicas } from './proofs/schedule-replicas.ts'
import { scheduleRules } from './proofs/schedule-rules.ts'
import { simulatedCluster } from './proofs/simulated-cluster.ts'
import { slotHolders } from './proofs/slot-holders.ts'
import { soak } from './proofs/soak.ts'
import { sqliteContention } from './proofs/sqlite-contention.ts'
import { stalledSubscriber } from './proofs/stalled-subscriber.ts'

/** All proofs, in the order in which they run. A new one needs its file in `proofs/` and a line here. */
export const allProofs: readonly Proof[] = [
  killSqlite,
  killReplicas,
  databaseRestarts,
  frozenReplica,
  scheduleReplicas,
  scheduleRules,
  clockJumps,
  diskErrors,
  slotHolders,
  deadProcesses,
  cancellations,
  eventOrder,
  stalledSubscriber,
  soak,
  sqliteContention,
  gracefulStop,
  simulatedCluster,
  hostileClients,
]
