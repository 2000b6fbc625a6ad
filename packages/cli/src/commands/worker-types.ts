import type { MillraceClient } from '@millrace/client/client.ts'
import { CommandError } from '../errors.ts'

/** The part of the collection of worker types that commands read: by package, then by type. */
type WorkerCollection = Readonly<
  Record<string, Readonly<Record<string, { readonly type: string; readonly default_base_job_configuration: Record<string, unknown> }>>>
>

/** Reads the base job template that a worker of this type expects. */
export async function readDefaultTemplate(client: MillraceClient, type: string, hint = ''): Promise<Record<string, unknown>> {
  const collection = (await client.server.collection('aggregate-worker-metadata')) as WorkerCollection
  const workers = Object.values(collection).flatMap((workersByType) => Object.values(workersByType))
  const worker = workers.find((each) => each.type === type)
  if (worker) return worker.default_base_job_configuration
  const known = workers.map((each) => each.type).sort()
  throw new CommandError(`No work pool type "${type}". Types: ${known.join(', ')}.${hint}`, 'notFound')
}
