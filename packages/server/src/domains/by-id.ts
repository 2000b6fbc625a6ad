import { Uuid } from '@millrace/contracts/primitives.ts'
import Type from 'typebox'

/** The path parameters of operations on one object. */
export const IdParams = Type.Object({ id: Uuid })
