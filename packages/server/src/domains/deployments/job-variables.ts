import { CheckLimitExceeded, conflict, invalid } from '../../errors.ts'
import { refusalSentence, type SchemaRefusal } from '../../schemas/refusal.ts'
import type { ServerContext } from '../../storage/server-context.ts'
import { readBlockData } from '../blocks/load-block.ts'
import { schemaValidator } from '../schema-validator.ts'

/**
 * Checks layers of job variables, each JSON text, against a pool's base job template. Required variables are checked for runs only,
 * because a run can still add them to those of its deployment.
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

/** Like `assertJobVariables`, but with status 409 for invalid variables: the reference's answer to an update. */
export async function assertChangedJobVariables(context: ServerContext, template: string, variables: string): Promise<void> {
  const refusal = await checkJobVariables(context, template, [variables], { partial: true })
  if (refusal?.kind === 'limit') throw new CheckLimitExceeded(['body', 'job_variables'], refusal.reason)
  if (refusal) throw conflict(describeJobVariablesError(refusal))
}
