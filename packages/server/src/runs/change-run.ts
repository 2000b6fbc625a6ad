import type { Labels } from '@millrace/contracts/primitives.ts'
import { generateRunName } from '../lib/run-name.ts'
import type { ChangeFlowRun, ChangeTaskRun } from './command.ts'
import type { Deciding } from './deciding.ts'
import { findRun, flowRunKind, taskRunKind } from './kinds.ts'

/** Sets the given columns of a flow run. Without any it counts as updated all the same. */
export function changeFlowRun(deciding: Deciding, { id, labels, columns, ...given }: ChangeFlowRun): null | Error {
  const row = findRun(flowRunKind, deciding, id)
  if (row instanceof Error) return row
  deciding.setFlowRunColumns(row, {
    ...columns,
    ...nameColumn(deciding, given),
    ...(labels === undefined ? {} : { labels: mergedLabels(deciding, id, labels) }),
  })
  return null
}

export function changeTaskRun(deciding: Deciding, { id, ...given }: ChangeTaskRun): null | Error {
  const row = findRun(taskRunKind, deciding, id)
  if (row instanceof Error) return row
  deciding.setTaskRunColumns(row, nameColumn(deciding, given))
  return null
}

const nameColumn = ({ context }: Deciding, { name }: { readonly name?: string | null }): { readonly name?: string } =>
  name === undefined ? {} : { name: name || generateRunName(context.random) }

function mergedLabels({ owners }: Deciding, id: string, labels: Labels): string {
  const merged = JSON.stringify({ ...(JSON.parse(owners.get(id)?.labels ?? '{}') as Labels), ...labels })
  owners.set(id, { labels: merged })
  return merged
}
