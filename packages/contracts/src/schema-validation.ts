import Type, { type Static, type TSchema, type TUnsafe } from 'typebox'
import { FreeObject, parameters, response } from './primitives.ts'

/** Checks values against a JSON Schema, for forms. */
export const SchemaValidateBody = parameters({ schema: FreeObject, values: FreeObject })
export type SchemaValidateBody = Static<typeof SchemaValidateBody>

export interface SchemaValuePropertyError {
  property: string
  errors: SchemaValueError[]
}

export interface SchemaValueIndexError {
  index: number
  errors: SchemaValueError[]
}

/** An error of the value itself, of one of its properties or of one of its items. */
export type SchemaValueError = string | SchemaValuePropertyError | SchemaValueIndexError

// Errors are nested, so these schemas are recursive: Type.Optional and Type.Unsafe would copy them endlessly.
const members: TSchema[] = [Type.String()]
const errors = Type.Array({ anyOf: members } as unknown as TUnsafe<SchemaValueError>)

export const SchemaValuePropertyError = response('SchemaValuePropertyError', { property: Type.String(), errors })
export const SchemaValueIndexError = response('SchemaValueIndexError', { index: Type.Integer(), errors })
members.push(SchemaValuePropertyError, SchemaValueIndexError)

export const SchemaValuesValidationResponse = response('SchemaValuesValidationResponse', { errors, valid: Type.Boolean() })
export type SchemaValuesValidationResponse = Static<typeof SchemaValuesValidationResponse>
