import { CheckLimitExceeded, conflict, invalid } from '../../errors.ts'
import { refusalSentence, type SchemaRefusal } from '../../schemas/refusal.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readBlockData } from '../blocks/block-data.ts'
import { schemaValidator } from '../schema-validator.ts'

/**
 * Why layers of job variables, each JSON text, are not those that a pool's base job template asks for. Required variables count only where nothing
 * can be added any more: for a run.
 */
export async function checkJobVariables(
  context: ServerContext,
  template: string,
  layers: readonly string[],
  options: { readonly partial: boolean },
): Promise<SchemaRefusal | undefined> {
  if (template === '{}') return undefined
  return schemaValidator(context).validateJobVariables(template, layers, options, (ids) => readBlockData(context, context.reads, ids))
}

export const describeJobVariablesError = (refusal: SchemaRefusal): string =>
  refusal.kind === 'schema'
    ? `The pool's schema of job variables is not valid: ${refusalSentence(refusal, 'job variable')}`
    : refusalSentence(refusal, 'job variable')

export async function assertJobVariables(
  context: ServerContext,
  template: string,
  layers: readonly string[],
  options: { readonly partial: boolean },
): Promise<void> {
  const refusal = await checkJobVariables(context, template, layers, options)
  if (refusal?.kind === 'limit') throw new CheckLimitExceeded(['body', 'job_variables'], refusal.reason)
  if (refusal) throw invalid(['body', 'job_variables'], describeJobVariablesError(refusal))
}

/** The same with 409 for variables that do not fit, as an update of a deployment is answered. */
export async function assertChangedJobVariables(context: ServerContext, template: string, variables: string): Promise<void> {
  const refusal = await checkJobVariables(context, template, [variables], { partial: true })
  if (refusal?.kind === 'limit') throw new CheckLimitExceeded(['body', 'job_variables'], refusal.reason)
  if (refusal) throw conflict(describeJobVariablesError(refusal))
}
