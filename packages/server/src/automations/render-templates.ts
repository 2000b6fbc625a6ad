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
import { type ActionContext, ActionFailed, type ActionResult } from './action-context.ts'
import { dashboardUrl, linkFilters } from './template-links.ts'
import { templateScope } from './template-scope.ts'

const kindKey = '__prefect_kind'

/** Renders the texts of an action. A text that cannot be rendered fails the action; the event contains the template. */
export async function renderTexts({ context, facts }: ActionContext, texts: readonly string[], result: ActionResult): Promise<string[]> {
  const scope = await templateScope(context, facts, texts)
  const options = { now: context.clock.now, filters: linkFilters(dashboardUrl(context.config)) }
  return texts.map((text) => {
    try {
      return renderTemplate(text, scope, options)
    } catch (error) {
      if (!(error instanceof TemplateError || error instanceof TemplateSyntaxError)) throw error
      throw new ActionFailed(`Template could not be rendered: ${error.message}`, {
        related: result.related,
        details: { ...result.details, template_error: error.message, template_source: text },
      })
    }
  })
}

interface Rendering {
  readonly scope: ReadonlyMap<string, Value>
  readonly options: RenderOptions
  readonly hydration: HydrationContext
}

/**
 * Renders the parameters of a flow run as JSON. A text that is a single expression becomes its value, of any type; other templates become text.
 * Placeholders are hydrated as in deployments, and their templates can use the event.
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
    throw new ActionFailed(`Flow run parameters could not be rendered: ${error.message}`, { related })
  }
}

function collectTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(collectTexts) : []
}

/** Undefined for a placeholder without a value: it is left out of its parent. */
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

/** Wraps the placeholder in an object, because hydration leaves out a placeholder without a value. */
function renderPlaceholder(text: string, hydration: HydrationContext): string | undefined {
  const hydrated = parseJson(hydrateText(`{"value":${text}}`, hydration)) as { value?: unknown }
  return 'value' in hydrated ? composeJsonText(hydrated.value) : undefined
}
