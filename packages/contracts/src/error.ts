import Type, { type Static } from 'typebox'
import { FreeJson, FreeObject, nullable, response, Text } from './primitives.ts'

/** One validation error: its location, its message and the input. */
export const ValidationError = response('ValidationError', {
  loc: Type.Array(Type.Union([Type.String(), Type.Integer()])),
  msg: Type.String(),
  type: Type.String(),
  input: Type.Optional(FreeJson),
  ctx: Type.Optional(FreeObject),
})
export type ValidationError = Static<typeof ValidationError>

/** The body of every 422. Existing clients show `exception_message` and recognize the error by the next two fields. */
export const HTTPValidationError = response('HTTPValidationError', {
  detail: Type.Array(ValidationError),
  code: Type.Optional(Text),
  request_id: Type.Optional(Text),
  exception_message: Type.Optional(Text),
  exception_detail: Type.Optional(Type.Array(ValidationError)),
  request_body: Type.Optional(nullable(FreeJson)),
})
export type HTTPValidationError = Static<typeof HTTPValidationError>

/** The body of every other error. Clients match on `code`. */
export const ErrorBody = response('ErrorBody', { detail: Text, code: Text, request_id: Text, exception_message: Text })
export type ErrorBody = Static<typeof ErrorBody>
