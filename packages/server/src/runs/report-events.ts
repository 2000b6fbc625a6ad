import type { SentEvent } from '../events/ingest.ts'
import type { SentEvents } from '../events/sent-events.ts'
import type { Actor } from '../lib/actor.ts'
import type { ServerContext } from '../storage/server-context.ts'
import { changeRun } from './batch.ts'
import { isTaskRunEvent, parseTaskRunEvent } from './task-run-events.ts'
import { taskHistoryReader } from './task-run-history.ts'

/** Stores events of a request, and the states of task runs that they report. The payload is parsed already. */
export async function reportEvents(context: ServerContext, actor: Actor, sent: SentEvents, received: readonly SentEvent[]): Promise<void> {
  const taskEvents = sent.events.flatMap((event, index) =>
    isTaskRunEvent(event) ? (parseTaskRunEvent(event, received[index]?.payload as Readonly<Record<string, unknown>>) ?? []) : [],
  )
  await changeRun(context, { kind: 'report', actor, sent, taskEvents, readHistory: taskHistoryReader(context) })
}
