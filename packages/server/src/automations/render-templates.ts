import type { Action } from '@millrace/contracts/action.ts'
import { type HydrationContext, hydrateText } from '../domains/deployments/hydrate.ts'
import { hydrationContext } from '../domains/deployments/hydration-context.ts'
import { ApiError } from '../errors.ts'
import type { ResourceLabels } from '../lib/event-record.ts'
import { composeJsonText, jsonText, parseJson } from '../lib/json.ts'
import { TemplateError, TemplateSyntaxError } from '../lib/template/errors.ts'
import { toJson } from '../lib/template/json.ts'
import { evaluateExpression, isTemplate, parseSingleExpression, type RenderOptions, renderTemplate } from '../lib/template/template.ts'
import type { Value } from '../lib/template/values.ts'
import { type ActionContext, ActionFailed } from './action-context.ts'
import { dashboardUrl, linkFilters } from './template-links.ts'
import { templateScope } from './template-scope.ts'

const kindKey = '__prefect_kind'

interface Rendering {
  readonly scope: ReadonlyMap<string, Value>
  readonly options: RenderOptions
  readonly hydration: HydrationContext
}

/**
 * The parameters of a run as JSON text. A text that is one expression and nothing else gives way to the expression's value, of whatever type; other
 * templates become text. Placeholders are worked out as everywhere, but may look into the event.
 */
export async function renderParameters(
  actionContext: ActionContext<Extract<Action, { type: 'run-deployment' }>>,
  related: readonly ResourceLabels[],
): Promise<string> {
  const { context, facts, action } = actionContext
  const text = jsonText(action.parameters ?? {})
  if (!isTemplate(text) && !text.includes(kindKey)) return text
  const value = parseJson(text)
  const scope = await templateScope(context, facts, collectTexts(value).filter(isTemplate))
  const options: RenderOptions = { now: context.clock.now, filters: linkFilters(dashboardUrl(context.config)) }
  const hydration = {
    ...(await hydrationContext(context, context.reads, [text])),
    render: (template: string) => renderTemplate(template, scope, options),
  }
  try {
    return renderValue(value, { scope, options, hydration }) ?? '{}'
  } catch (error) {
    if (!(error instanceof TemplateError || error instanceof TemplateSyntaxError || error instanceof ApiError)) throw error
    throw new ActionFailed(`The parameters of the flow run could not be worked out: ${error.message}`, { related })
  }
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : []
}

/** Undefined when the value stands for nothing at all: it is left out of whatever holds it. */
function renderValue(value: unknown, rendering: Rendering): string | undefined {
  if (typeof value === 'string') return isTemplate(value) ? renderText(value, rendering) : JSON.stringify(value)
  const inner = jsonText(value)
  if (typeof value !== 'object' || value === null || (!isTemplate(inner) && !inner.includes(kindKey))) return inner
  if (Array.isArray(value)) return `[${value.flatMap((item) => renderValue(item, rendering) ?? []).join(',')}]`
  if (kindKey in value) return renderPlaceholder(inner, rendering.hydration)
  const fields = Object.entries(value).flatMap(([key, item]) => {
    const text = renderValue(item, rendering)
    return text === undefined ? [] : [`${JSON.stringify(key)}:${text}`]
  })
  return `{${fields.join(',')}}`
}

function renderText(text: string, { scope, options }: Rendering): string {
  const expression = parseSingleExpression(text)
  if (!expression) return JSON.stringify(renderTemplate(text, scope, options))
  return evaluateExpression(expression, scope, options, (value, budget) => toJson(value, { sorted: false }, budget))
}

/** Hydrated within an object, since what stands for nothing is left out of it. */
function renderPlaceholder(text: string, hydration: HydrationContext): string | undefined {
  const made = parseJson(hydrateText(`{"value":${text}}`, hydration)) as { value?: unknown }
  return 'value' in made ? composeJsonText(made.value) : undefined
}
