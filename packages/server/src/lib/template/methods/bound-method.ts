import { type Arguments, NativeFunction, type RenderState, type Value } from '../values.ts'

/** A method of a value: `self` is fixed when it is looked up, the rest comes with the call. */
export const boundMethod =
  <T>(name: string, act: (self: T, args: Arguments, run: RenderState) => Value) =>
  (self: T): Value =>
    new NativeFunction(name, (run, args) => act(self, args, run))
