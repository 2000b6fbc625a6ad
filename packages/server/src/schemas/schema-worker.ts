import { parentPort, workerData } from 'node:worker_threads'
import { createOperations, type Operations, type Request } from './operations.ts'
import { phases } from './refusal.ts'

/** What the thread sends: once that it is ready, then one answer for each request. */
export type ThreadMessage = { readonly ready: true } | { readonly answer: unknown } | { readonly failure: string }

/** The entry of the worker thread that checks schemas. It serves one request at a time. */
function serve(port: NonNullable<typeof parentPort>, phase: Int32Array): void {
  const operations = createOperations((entered) => Atomics.store(phase, 0, phases.indexOf(entered)))
  const send = (sent: ThreadMessage): void => port.postMessage(sent)
  port.on('message', async ({ operation, request }: Request) => {
    try {
      send({ answer: await operations[operation as keyof Operations](request as never) })
    } catch (error) {
      send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  // Compiles the metaschema (40 ms), which is not part of the time of a request.
  operations.checkSchema({ schema: '{}' })
  send({ ready: true })
}

if (parentPort) serve(parentPort, new Int32Array(workerData.phase as SharedArrayBuffer))
