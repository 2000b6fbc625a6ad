import { DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { SqlValue } from '../connection.ts'
import { createConnection, type SelectedRows } from './connection.ts'

export interface ReadRequest {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** One for each request, in their order. An error loses its own properties on the way to the other thread, so they are sent beside it. */
export type ReadAnswer = SelectedRows | { readonly error: unknown; readonly properties: object }

export interface ReadWorkerData {
  readonly file: string
  readonly pragmas: readonly string[]
}

/** The entry point of the thread that runs long reads, one at a time. */
function serve(port: MessagePort, { file, pragmas }: ReadWorkerData): void {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  for (const pragma of pragmas) database.exec(pragma)
  const connection = createConnection(database)

  function answer({ text, values }: ReadRequest): ReadAnswer {
    try {
      return connection.select(text, values)
    } catch (error) {
      return { error, properties: { ...(error as object) } }
    }
  }

  port.on('message', (request: ReadRequest) => port.postMessage(answer(request)))
}

if (parentPort) serve(parentPort, workerData as ReadWorkerData)
