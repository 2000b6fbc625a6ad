import type { ConnectionObserver } from '../../events/socket.ts'
import { serviceActor } from '../../lib/actor.ts'
import { heartbeatRunId } from '../../runs/heartbeats.ts'
import { statement } from '../../storage/database.ts'
import { actAs, perServer } from '../../storage/server-context.ts'

/** Maximum number of runs per connection. A connection belongs to one process, which has few runs. */
const runsMax = 1000

const markDisconnected = statement(
  (dialect) => `update flow_run_heartbeat set disconnected = $2 where ${dialect.inList('flow_run_id', '$1', 'uuid')}`,
)

/**
 * Records when the connection that carried the heartbeats of a run is lost: a killed process loses it immediately. It matters for runs with a single
 * heartbeat, whose interval is unknown. A live client connects again for its next heartbeat, which clears the record.
 */
export const heartbeatConnections = perServer((context): ConnectionObserver & { stop(): void } => {
  const { commands, clock, config } = actAs(context, serviceActor('heartbeat-connections'))
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
          await commands.submit((tx) => tx.run(markDisconnected, [tx.dialect.list([...runs]), clock.now()]))
        },
      }
    },
    /** Called at shutdown, when the server closes the connections itself. */
    stop() {
      stopped = true
    },
  }
})
