import { Text } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'
import { writeJson } from '../../lib/json.ts'
import { type Peer, SocketRejection, type SocketRoute } from '../../lib/socket.ts'
import { afterSeconds } from '../../lib/time.ts'
import type { TaskRunRow } from '../../runs/task-run-rows.ts'
import { type ActingContext, actAs, type ServerContext } from '../../storage/server-context.ts'
import { acknowledgeDeferred, claimDeferred, hasDeferred, releaseDeferred } from '../task-runs/deferred-tasks.ts'
import { toTaskRunResponse } from '../task-runs/store.ts'
import { taskWorkers } from './registry.ts'

/** The close code that clients of this socket expect for an unexpected message. */
const protocolViolationCode = 4001

/** Tasks that another server queues and expired claims send no notification to this connection, so the queue is polled. */
const pollEverySeconds = 5
const pollEverySecondsShared = 1

export const taskWorkerSocket = (context: ServerContext): SocketRoute => ({
  path: '/task_runs/subscriptions/scheduled',
  summary: 'Receive background tasks',
  description:
    'Send `{"type": "subscribe", "keys": ["…"], "client_id": "…"}` with the keys of the tasks that this worker runs. The server sends one scheduled task run, waits for `{"type": "ack"}`, and sends the next one. A task run that is not acknowledged goes to another worker. `{"type": "quit"}` ends the conversation; an unexpected message closes the connection with 4001.',
  scope: 'task_runs:run',
  kind: 'change',
  serve: (peer) => serveTaskWorker(actAs(context, peer.actor), peer),
})

const Subscribe = Type.Object({
  type: Type.Literal('subscribe'),
  keys: Type.Array(Text, { minItems: 1 }),
  client_id: Type.String({ minLength: 1, 'x-text': true }),
})

/** Sends deferred task runs to a worker one at a time. The next one is sent after the acknowledgement of the last. */
async function serveTaskWorker(context: ActingContext, peer: Peer): Promise<void> {
  const first = await peer.next()
  if (first === undefined) return
  const subscription = peer.read(Subscribe, await parseOrUndefined(peer, first))
  if ('refusal' in subscription)
    throw new SocketRejection(protocolViolationCode, `Expected a "subscribe" message with keys and client_id (${subscription.refusal})`)
  const { keys, client_id } = subscription.value
  const worker = taskWorkers(context).add(client_id, keys)
  const wakeup = wakeSignal(context)
  try {
    for (let answer = peer.next(); ; ) {
      const woken = wakeup.next()
      const run = (await hasDeferred(context.reads, keys, context.clock.now()))
        ? await context.commands.submit(claimDeferred(keys, context.clock.now()))
        : undefined
      if (!run) {
        const received = await Promise.race([answer.then((message) => ({ message })), woken])
        if (!received) continue
        if (received.message === undefined || (await readType(peer, received.message)) === 'quit') return
        // Unexpected messages (a second acknowledgement, a keep-alive) are ignored.
        answer = peer.next()
        continue
      }
      if (!(await deliver(context, peer, run, answer))) return
      worker.touch()
      answer = peer.next()
    }
  } finally {
    wakeup.stop()
    worker.remove()
  }
}

/** Returns whether the worker wants more. A run without acknowledgement returns to the queue. */
async function deliver({ commands, clock }: ActingContext, peer: Peer, run: TaskRunRow, answer: Promise<string | undefined>): Promise<boolean> {
  peer.send(writeJson(toTaskRunResponse(run, clock.now())))
  const message = await answer
  const type = message === undefined ? undefined : await readType(peer, message)
  if (type === 'ack') {
    await commands.submit(acknowledgeDeferred(run))
    return true
  }
  await commands.submit(releaseDeferred(run))
  if (message === undefined || type === 'quit') return false
  throw new SocketRejection(protocolViolationCode, 'Expected an "ack" message')
}

const readType = async (peer: Peer, message: string): Promise<unknown> =>
  ((await parseOrUndefined(peer, message)) as { type?: unknown } | null | undefined)?.type

async function parseOrUndefined(peer: Peer, message: string): Promise<unknown> {
  try {
    return await peer.parse(message)
  } catch {
    return undefined
  }
}

/** Resolves `next()` when tasks may have been queued. Each call of `next()` waits for one signal. */
function wakeSignal({ bus, reads }: ServerContext) {
  let signal: () => void = () => {}
  let stopPolling: () => void
  const poll = () => {
    signal()
    stopPolling = afterSeconds(reads.dialect.isShared ? pollEverySecondsShared : pollEverySeconds, poll)
  }
  poll()
  const unsubscribe = bus.on('deferred-tasks', () => signal())
  return {
    next: () =>
      new Promise<undefined>((resolve) => {
        signal = () => resolve(undefined)
      }),
    stop() {
      unsubscribe()
      stopPolling()
    },
  }
}
