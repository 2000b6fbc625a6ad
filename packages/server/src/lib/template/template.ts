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
 * Templates that people give the server, in the language of Jinja: expressions, conditions, loops, filters, macros. They see what they are
 * handed and nothing else (see values.ts), and they end: steps, time, text and output are bounded (see budget.ts).
 */

/** As in the reference, told when a template is saved rather than when it is used. */
const loopsMax = 10
const loopsDeepMax = 2
/** Ten times what people write; it takes 50 ms to read. */
const templateCharactersMax = 100_000

interface Parsed {
  readonly body: Body
  readonly names: ReadonlySet<string>
}

const parsed = new Map<string, Parsed>()
const parsedMax = 500
/** Longer ones are rare, and their trees are large. */
const parsedCharactersMax = 20_000

/** Whether there is anything to render in a text. */
export const isTemplate = (text: string): boolean => text.includes('{{') || text.includes('{%')

/** Throws a TemplateSyntaxError when the text is no template, or has more loops than are allowed. */
export function checkTemplate(text: string): void {
  const { count, depth } = countLoops(parse(text).body)
  if (count > loopsMax) throw new TemplateSyntaxError(`Contains ${count} for loops. Templates can contain no more than ${loopsMax} for loops.`, 0)
  if (depth > loopsDeepMax) {
    throw new TemplateSyntaxError(`Contains for loops ${depth} deep. Templates can nest for loops no more than ${loopsDeepMax} deep.`, 0)
  }
}

/** The names that templates look up and do not make themselves. */
export function listUsedNames(texts: readonly string[]): Set<string> {
  return new Set(texts.filter(isTemplate).flatMap((text) => [...parse(text).names]))
}

export interface RenderOptions {
  /** In microseconds; with it the time is bounded too, and templates can tell how long ago something was. */
  readonly now?: () => number
  /** On top of the usual ones. */
  readonly filters?: ReadonlyMap<string, Filter>
  readonly limits?: Limits
}

/** Throws a TemplateError or a TemplateSyntaxError, whatever goes wrong. */
export function renderTemplate(text: string, scope: ReadonlyMap<string, Value>, options: RenderOptions = {}): string {
  if (!isTemplate(text)) return text
  return withRendering(scope, options, (rendering, _evaluation, top) => rendering.body(parse(text).body, top))
}

/** The value of a template that is a single expression, of whatever type it has; undefined when the template is more than that. */
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
    // The stack is the one limit that is not counted.
    throw new TemplateError(error instanceof RangeError ? 'The template goes too deep' : `The template cannot be rendered: ${String(error)}`)
  }
}

function parse(text: string): Parsed {
  const known = parsed.get(text)
  if (known) return known
  if (text.length > templateCharactersMax) throw new TemplateSyntaxError(`A template may have ${templateCharactersMax} characters at most`, 0)
  const made = read(text)
  if (text.length > parsedCharactersMax) return made
  if (parsed.size >= parsedMax) parsed.delete(parsed.keys().next().value as string)
  parsed.set(text, made)
  return made
}

function read(text: string): Parsed {
  try {
    const body = parseStatements(text)
    return { body, names: collectNames(body) }
  } catch (error) {
    // `a.b.b.b` and so on for pages: each step stands within the next.
    if (error instanceof RangeError) throw new TemplateSyntaxError('An expression in the template is too long', 0)
    throw error
  }
}
