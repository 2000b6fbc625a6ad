import { expect, test } from 'vitest'
import { errorsUnder, flattenSchemaErrors } from './server-errors.ts'

test('maps server errors to form fields', () => {
  expect(
    flattenSchemaErrors([
      { property: 'a', errors: ['too small', 'odd'] },
      { property: 'list', errors: [{ index: 1, errors: [{ property: 'x', errors: ['no'] }] }] },
      'all of it',
    ]),
  ).toEqual({ a: 'too small; odd', 'list.1.x': 'no', '': 'all of it' })
  expect(
    errorsUnder(
      [
        { loc: ['body', 'parameters', 'x', 0], msg: 'no', type: 't' },
        { loc: ['body', 'name'], msg: 'y', type: 't' },
      ],
      'parameters',
    ),
  ).toEqual({
    'x.0': 'no',
  })
})
