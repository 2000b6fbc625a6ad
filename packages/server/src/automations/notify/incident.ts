import { given, listed, type Notifier, needed, objectOf, postJson, together } from './notice.ts'

const severities: Readonly<Record<string, string>> = { info: 'info', success: 'info', warning: 'warning', failure: 'critical' }

export const pagerDuty: Notifier = (data, { subject, body }) => {
  const host = data.region_name === 'eu' ? 'events.eu.pagerduty.com' : 'events.pagerduty.com'
  const link = given(data, 'clickable_url')
  return [
    postJson(`https://${host}/v2/enqueue`, {
      routing_key: needed(data, 'integration_key'),
      event_action: 'trigger',
      payload: {
        summary: (subject || body).slice(0, 1024),
        source: given(data, 'source') ?? 'Millrace',
        severity: severities[given(data, 'notify_type') ?? 'info'] ?? 'info',
        component: given(data, 'component'),
        group: given(data, 'group'),
        class: given(data, 'class_id'),
        custom_details: { ...objectOf(data, 'custom_details'), ...(subject === '' ? {} : { body }) },
      },
      links: link === undefined ? [] : [{ href: link, text: link }],
    }),
  ]
}

const responders = [
  ['target_user', 'user', 'username'],
  ['target_team', 'team', 'name'],
  ['target_schedule', 'schedule', 'name'],
  ['target_escalation', 'escalation', 'name'],
] as const

export const opsgenie: Notifier = (data, notice) => {
  const host = data.region_name === 'eu' ? 'api.eu.opsgenie.com' : 'api.opsgenie.com'
  const priority = typeof data.priority === 'number' ? `P${data.priority}` : undefined
  const alert = {
    message: (notice.subject || notice.body).slice(0, 130),
    description: together(notice).slice(0, 15_000),
    responders: responders.flatMap(([field, type, key]) => listed(data, field).map((name) => ({ type, [key]: name }))),
    tags: listed(data, 'tags'),
    priority,
    alias: given(data, 'alias'),
    entity: given(data, 'entity'),
    details: objectOf(data, 'details'),
  }
  return [postJson(`https://${host}/v2/alerts`, alert, { authorization: `GenieKey ${needed(data, 'apikey')}` })]
}
