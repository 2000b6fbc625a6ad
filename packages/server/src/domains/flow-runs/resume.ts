import { ApiError, invalid, notFound } from '../../errors.ts'
import { jsonText } from '../../lib/json.ts'
import type { RunState } from '../../orchestration/rule.ts'
import type { ReceivedState } from '../../orchestration/states.ts'
import { type CheckedWrite, checkThenWrite, prepareWrite } from '../../storage/checked-write.ts'
import type { Db, Tx } from '../../storage/database.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { hydrateText } from '../deployments/hydrate.ts'
import { hydrationContext } from '../deployments/hydration-context.ts'
import { parseCurrentState, toStateResponse } from '../run-state.ts'
import { schemaValidator } from '../schema-validator.ts'
import type { SetStateResult } from '../state-proposals.ts'
import { addInput, readInput } from './inputs.ts'
import { flowRunTransitionBatch } from './set-state.ts'
import { lockSnapshots } from './transition-store.ts'

/**
 * Lets a paused run go on: at once, or by way of the workers when it was suspended. A pause that asked for input gets it first, checked by the schema
 * that the run left under its key; the answer is kept for the run only if it may go on.
 */
export const resumeFlowRun = (context: ServerContext, id: string, runInput: Record<string, unknown> | null): Promise<SetStateResult> =>
  checkThenWrite(context, resumeCommand(context, id, runInput))

/** The same for a caller with a transaction of its own. */
export const prepareResume = (context: ServerContext, id: string): Promise<(tx: Tx) => Promise<SetStateResult>> =>
  prepareWrite(context.reads, resumeCommand(context, id, null))

const resumeCommand = (
  context: ServerContext,
  id: string,
  runInput: Record<string, unknown> | null,
): CheckedWrite<PauseInput, CheckedInput, SetStateResult> => ({
  read: (db) => readPause(db, id),
  check: ({ keys, schema }) => (keys ? checkInput(context, keys, schema, jsonText(runInput ?? {})) : Promise.resolve(undefined)),
  async write(tx, input) {
    const [row] = await lockSnapshots(tx, [id])
    if (!row) throw notFound('Flow run')
    const paused = parseCurrentState(row)
    if (paused?.type !== 'PAUSED') return rejectedResult(null, 'ABORT', 'Only a flow run that is paused can be resumed')
    if (input && 'refusal' in input) return rejectedResult(paused, 'REJECT', input.refusal)

    const state: ReceivedState = paused.state_details.pause_reschedule ? { type: 'SCHEDULED', name: 'Resuming' } : { type: 'RUNNING' }
    const [outcome] = await flowRunTransitionBatch(context)(tx, [{ id, state }])
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? notFound('Flow run')
    if (input && input.value !== '{}' && outcome.result.status === 'ACCEPT') {
      await addInput(context, id, { key: input.key, value: input.value, sender: null })(tx)
    }
    return outcome
  },
})

/** Nothing is written. Input that is refused is told as a REJECT with the details of an abort: clients know it so. */
const rejectedResult = (state: RunState | null, status: 'ABORT' | 'REJECT', reason: string): SetStateResult => ({
  written: false,
  result: { state: state && toStateResponse(state), status, details: { type: 'abort_details', reason } },
})

/** What the check of the input depends on. */
interface PauseInput {
  /** The keys of the input that the pause asks for. */
  readonly keys?: Readonly<Record<string, string>>
  readonly schema?: string
}

async function readPause(db: Db, id: string): Promise<PauseInput> {
  const [row] = await lockSnapshots(db, [id])
  if (!row) throw notFound('Flow run')
  const paused = parseCurrentState(row)
  const keys = paused?.type === 'PAUSED' ? paused.state_details.run_input_keyset : undefined
  if (!keys || Object.keys(keys).length === 0) return {}
  const schema = keys.schema === undefined ? undefined : await readInput(db, id, keys.schema)
  return { keys, ...(schema ? { schema: schema.value } : {}) }
}

type CheckedInput = { readonly refusal: string } | { readonly key: string; readonly value: string } | undefined

async function checkInput(
  context: ServerContext,
  keys: Readonly<Record<string, string>>,
  schema: string | undefined,
  sent: string,
): Promise<CheckedInput> {
  if (keys.schema === undefined || keys.response === undefined) return { refusal: 'The pause does not say where its schema and its answer are kept' }
  const value = await hydrateInput(context, sent)
  if (typeof value !== 'string') return value
  if (schema === undefined) return { refusal: 'The schema of the input was not found' }
  if (!/^\s*\{/.test(schema)) return { refusal: 'The schema of the input is not a JSON object' }
  const refusal = await schemaValidator(context).validate(schema, value, { acceptsPydantic1: true })
  if (refusal?.kind === 'schema' && refusal.path === '') return { refusal: `The schema of the input ${refusal.reason}` }
  if (refusal?.kind === 'limit') throw invalid(['body', 'run_input'], refusal.reason)
  if (refusal) return { refusal: `The input does not fit its schema${refusal.path && ` at ${refusal.path}`}: ${refusal.reason}` }
  return { key: keys.response, value }
}

/** What stands for something else (a variable, text that is JSON) gives way to it. */
async function hydrateInput(context: ServerContext, text: string): Promise<string | { readonly refusal: string }> {
  try {
    return hydrateText(text, await hydrationContext(context, context.reads, [text]))
  } catch (error) {
    if (error instanceof ApiError) return { refusal: `The input could not be worked out: ${error.message}` }
    throw error
  }
}
