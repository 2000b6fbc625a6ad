import { baseColumns, json, text } from '../columns.ts'
import type { Step } from '../step.ts'

export const flows: Step = {
  name: 'flow',
  noun: 'flows',
  from: 'flow',
  to: 'flow',
  columns: { ...baseColumns, name: text(), tags: json('[]'), labels: json('{}') },
}
