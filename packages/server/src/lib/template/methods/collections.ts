import { bindArguments } from '../arguments.ts'
import { TemplateError } from '../errors.ts'
import { isEqual } from '../operators.ts'
import { boundMethod, type Dict, Tuple, type Value } from '../values.ts'

/** No mutating methods: templates cannot change their input. */
export const dictMethods: ReadonlyMap<string, (self: Dict) => Value> = new Map([
  ['items', boundMethod<Dict>('items', (self) => [...self].map(([key, value]) => new Tuple([key, value])))],
  ['keys', boundMethod<Dict>('keys', (self) => [...self.keys()])],
  ['values', boundMethod<Dict>('values', (self) => [...self.values()])],
  ['copy', boundMethod<Dict>('copy', (self) => self)],
  [
    'get',
    boundMethod<Dict>('get', (self, args) => {
      const { key, default: otherwise } = bindArguments('get', args, 'key', 'default')
      const found = key === undefined || (typeof key === 'object' && key !== null) ? undefined : self.get(key)
      return found === undefined ? (otherwise ?? null) : found
    }),
  ],
])

export const listMethods: ReadonlyMap<string, (self: readonly Value[]) => Value> = new Map([
  ['copy', boundMethod<readonly Value[]>('copy', (self) => self)],
  [
    'count',
    boundMethod<readonly Value[]>('count', (self, args, run) => {
      const { value } = bindArguments('count', args, 'value')
      return BigInt(self.filter((item) => isEqual(item, value ?? null, run.budget)).length)
    }),
  ],
  [
    'index',
    boundMethod<readonly Value[]>('index', (self, args, run) => {
      const { value } = bindArguments('index', args, 'value')
      const at = self.findIndex((item) => isEqual(item, value ?? null, run.budget))
      if (at < 0) throw new TemplateError('The value is not in the list')
      return BigInt(at)
    }),
  ],
])
