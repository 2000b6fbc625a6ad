import type { FlowRunFilter } from '@millrace/contracts/flow-run-filter.ts'
import type { Db } from '../../storage/database.ts'
import { type KnownState, readStates, statesMax } from '../run-history.ts'

interface Words {
  readonly any_?: readonly string[] | null
  readonly not_any_?: readonly string[] | null
}

/**
 * The states, by type and name, that runs are in and that a filter asks for: each is one range of the index of history, in the order of the
 * expected starts. Undefined when there are too many to be asked for one by one.
 */
export async function askedStates(db: Db, asked: NonNullable<FlowRunFilter['state']>): Promise<KnownState[] | undefined> {
  const known = await readStates(db, 'flow_run')
  return known.length > statesMax ? undefined : known.filter((state) => isAsked(asked, state))
}

export function isAsked({ operator, type, name }: NonNullable<FlowRunFilter['state']>, state: KnownState): boolean {
  const answers = [...answersOf(type, state.type), ...answersOf(name, state.name)]
  if (answers.length === 0) return true
  return operator === 'or_' ? answers.some(Boolean) : answers.every(Boolean)
}

/** One answer for all that is said of a field; none when nothing is. */
function answersOf(words: Words | null | undefined, word: string): boolean[] {
  const said = [...(words?.any_ ? [words.any_.includes(word)] : []), ...(words?.not_any_?.length ? [!words.not_any_.includes(word)] : [])]
  return said.length === 0 ? [] : [said.every(Boolean)]
}
