import type { ConnectionObserver } from '../../events/socket.ts'
import { statement } from '../../storage/database.ts'
import { perServer } from '../../storage/server-context.ts'
import { heartbeatRunId } from './record-heartbeats.ts'

/** A connection belongs to one process; more runs than this do not send heartbeats by one. */
const runsMax = 1000

const markDisconnected = statement(
  (dialect) => `update flow_run_heartbeat set disconnected = $2 where ${dialect.inList('flow_run_id', '$1', 'uuid')}`,
)

/**
 * Notes when the connection is lost by which a run sends its heartbeats: a process that is killed loses it at once. It counts for runs that sent one heartbeat so
 * far: of others it is known how often they send them. A client that lives connects again for its next heartbeat, and that is forgotten.
 */
export const heartbeatConnections = perServer(({ writeQueue, clock, config }): ConnectionObserver & { stop(): void } => {
  const { enabled } = config.services.zombie_detection
  let stopped = false
  return {
    open() {
      const runs = new Set<string>()
      return {
        onEvent(event) {
          const runId = enabled && runs.size < runsMax ? heartbeatRunId(event) : undefined
          if (runId) runs.add(runId)
        },
        async onClose() {
          if (stopped || runs.size === 0) return
          await writeQueue.submit((tx) => tx.run(markDisconnected, [tx.dialect.list([...runs]), clock.now()]))
        },
      }
    },
    /** This server ends: it closes the connections itself. */
    stop() {
      stopped = true
    },
  }
})
