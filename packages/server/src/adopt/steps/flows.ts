import { json, stamped, text } from '../column.ts'
import type { Step } from '../step.ts'

export const flows: Step = {
  name: 'flow',
  noun: 'flows',
  from: 'flow',
  to: 'flow',
  columns: { ...stamped, name: text(), tags: json('[]'), labels: json('{}') },
}
