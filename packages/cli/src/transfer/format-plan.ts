import type { Styler } from '../output/style.ts'
import { toSingleLine, truncate } from '../output/text-width.ts'
import type { Change } from './diff.ts'
import { decodeKeys } from './key-order.ts'
import type { Plan, Step } from './plan.ts'
import { pathText } from './problems.ts'

const signs = { create: '+', update: '~', delete: '-', add: '+', change: '~', remove: '-' } as const
const colours = { '+': 'green', '~': 'yellow', '-': 'red' } as const

/** Longer values are shortened. `-o json` has them whole. */
const valueWidthMax = 100

/** The plan for a person: a line for each item, and below it a line for each field. */
export function formatPlan({ steps }: Plan, style: Styler): string {
  return steps.flatMap((step) => [formatStep(step, style), ...step.changes.map((change) => formatChange(change, style))]).join('\n')
}

function formatStep({ action, kind, name }: Step, style: Styler): string {
  const sign = signs[action]
  return style(colours[sign], `${sign} ${kind.noun} ${style('bold', toSingleLine(name))}`)
}

function formatChange(change: Change, style: Styler): string {
  const sign = signs[change.op]
  const values = [...('before' in change ? [valueText(change.before)] : []), ...('after' in change ? [valueText(change.after)] : [])]
  return style(colours[sign], `    ${sign} ${toSingleLine(pathText(change.path))}: ${values.join(' → ')}`)
}

const valueText = (value: unknown): string => truncate(toSingleLine(toJsonText(value)), valueWidthMax)

/** JSON text with the keys of the file, in their order. */
export const toJsonText = (value: unknown, indent?: number): string => decodeKeys(JSON.stringify(value, null, indent))

export interface PlanSummary {
  readonly create: number
  readonly change: number
  readonly delete: number
  readonly unchanged: number
}

export function summarize({ steps, unchangedCount }: Plan, isCounted: (step: Step) => boolean = () => true): PlanSummary {
  const count = (action: Step['action']) => steps.filter((step) => step.action === action && isCounted(step)).length
  return { create: count('create'), change: count('update'), delete: count('delete'), unchanged: unchangedCount }
}

/** The plan as data. */
export const toPlanData = (plan: Plan, more: { readonly dry_run: boolean; readonly notes: readonly string[] }): object => ({
  dry_run: more.dry_run,
  summary: summarize(plan),
  notes: more.notes,
  changes: plan.steps.map(({ action, kind, name, changes, status, error }) => ({
    action,
    kind: kind.key,
    name,
    status,
    ...(error === undefined ? {} : { error }),
    fields: changes.map(({ op, path, ...values }) => ({ op, path: pathText(path), ...values })),
  })),
})
