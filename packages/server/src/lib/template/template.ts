import { LruCache } from '../lru-cache.ts'
import { Budget, defaultLimits, type Limits } from './budget.ts'
import { TemplateError, TemplateSyntaxError } from './errors.ts'
import { Evaluation } from './evaluate.ts'
import { allFilters } from './filters/all-filters.ts'
import { globalFunctions } from './functions.ts'
import { collectNames, countLoops } from './inspect.ts'
import type { Body, Expression } from './nodes.ts'
import { Rendering } from './render.ts'
import { Scope } from './scope.ts'
import { parseStatements } from './statements.ts'
import { type Filter, Undefined, type Value } from './values.ts'

/**
 * An interpreter for the Jinja templates of users: expressions, conditions, loops, filters, macros. A template only reaches the values it is
 * given (see values.ts), and its steps, time, texts and output are limited (see budget.ts). ADR 0014 compares it with libraries.
 */

/** The limits of the reference, checked when a template is saved. */
const loopsMax = 10
const loopsDeepMax = 2
/** Ten times the length of ordinary templates. Parsing takes 50 ms. */
const templateCharactersMax = 100_000

interface Parsed {
  readonly body: Body
  readonly names: ReadonlySet<string>
}

const parsed = new LruCache<string, Parsed>({ entriesMax: 500 })
/** Longer templates are not cached, because they are rare and their trees are large. */
const parsedCharactersMax = 20_000

/** Whether a text contains template syntax. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

/** Throws `TemplateSyntaxError` for an invalid template or one with too many loops. */
export function checkTemplate(text: string): void {
  const { count, depth } = countLoops(parse(text).body)
  if (count > loopsMax) throw new TemplateSyntaxError(`Contains ${count} for loops. Templates can contain no more than ${loopsMax} for loops.`, 0)
  if (depth > loopsDeepMax) {
    throw new TemplateSyntaxError(`Contains for loops ${depth} deep. Templates can nest for loops no more than ${loopsDeepMax} deep.`, 0)
  }
}

/** The variables that templates read. */
export function listUsedNames(texts: readonly string[]): Set<string> {
  return new Set(texts.filter(isTemplate).flatMap((text) => [...parse(text).names]))
}

export interface RenderOptions {
  /** In microseconds. Enables the time limit and filters that need the current time. */
  readonly now?: () => number
  /** Added to the built-in filters. */
  readonly filters?: ReadonlyMap<string, Filter>
  readonly limits?: Limits
}

/** Throws only `TemplateError` and `TemplateSyntaxError`. */
export function renderTemplate(text: string, scope: ReadonlyMap<string, Value>, options: RenderOptions = {}): string {
  if (!isTemplate(text)) return text
  return withRendering(scope, options, (rendering, _evaluation, top) => rendering.body(parse(text).body, top))
}

/** The expression of a template that is a single `{{ … }}`; undefined for any other template. */
export function parseSingleExpression(text: string): Expression | undefined {
  const [first, ...rest] = parse(text.trim()).body
  return first?.kind === 'print' && rest.length === 0 ? first.value : undefined
}

export function evaluateExpression<T>(
  expression: Expression,
  scope: ReadonlyMap<string, Value>,
  options: RenderOptions,
  use: (value: Value, budget: Budget) => T,
): T {
  return withRendering(scope, options, (_rendering, evaluation, top) => {
    const value = evaluation.evaluate(expression, top)
    if (value instanceof Undefined) throw new TemplateError(`'${value.name}' is undefined`)
    return use(value, evaluation.budget)
  })
}

function withRendering<T>(
  scope: ReadonlyMap<string, Value>,
  options: RenderOptions,
  act: (rendering: Rendering, evaluation: Evaluation, top: Scope) => T,
): T {
  const { now, limits = defaultLimits, filters } = options
  const evaluation = new Evaluation(new Budget(limits, now), filters ? new Map([...allFilters, ...filters]) : allFilters, now)
  const top = new Scope(new Scope(new Map([...globalFunctions, ...scope])))
  try {
    return act(new Rendering(evaluation, top), evaluation, top)
  } catch (error) {
    if (error instanceof TemplateError || error instanceof TemplateSyntaxError) throw error
    // The budget does not limit the stack.
    throw new TemplateError(error instanceof RangeError ? 'The template nesting is too deep' : `The template cannot be rendered: ${String(error)}`)
  }
}

function parse(text: string): Parsed {
  const cached = parsed.get(text)
  if (cached) return cached
  if (text.length > templateCharactersMax) throw new TemplateSyntaxError(`The template is longer than ${templateCharactersMax} characters`, 0)
  const result = parseUncached(text)
  if (text.length <= parsedCharactersMax) parsed.set(text, result)
  return result
}

function parseUncached(text: string): Parsed {
  try {
    const body = parseStatements(text)
    return { body, names: collectNames(body) }
  } catch (error) {
    // The nodes of a long chain such as `a.b.b.b` are nested.
    if (error instanceof RangeError) throw new TemplateSyntaxError('An expression in the template is too long', 0)
    throw error
  }
}
