import { Uuid } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'

/** Path parameters of operations on one thing. */
export const IdParams = Type.Object({ id: Uuid })
