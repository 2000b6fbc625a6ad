import { parentPort, workerData } from 'node:worker_threads'
import { createOperations, type Operations, type Request } from './operations.ts'
import { phases } from './refusal.ts'

/** Sent by the thread: `ready` once, then one answer per request. */
export type ThreadMessage = { readonly ready: true } | { readonly answer: unknown } | { readonly failure: string }

/** The entry point of the schema thread. It serves one request at a time. */
function serve(port: NonNullable<typeof parentPort>, phase: Int32Array): void {
  const operations = createOperations((entered) => Atomics.store(phase, 0, phases.indexOf(entered)))
  const send = (message: ThreadMessage): void => port.postMessage(message)
  port.on('message', async ({ operation, request }: Request) => {
    try {
      send({ answer: await operations[operation as keyof Operations](request as never) })
    } catch (error) {
      send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  // Compiles the metaschema ahead (40 ms), so that it does not count towards the first request.
  operations.checkSchema({ schema: '{}' })
  send({ ready: true })
}

if (parentPort) serve(parentPort, new Int32Array(workerData.phase as SharedArrayBuffer))
