import { expect, test } from 'vitest'
import { renderTemplate } from '../lib/template/template.ts'
import type { Value } from '../lib/template/values.ts'
import { linkFilters } from './template-links.ts'
import { eventModel, firingModel, labelsModel, resourceModel, runModel, toModel } from './template-models.ts'

const id = '0198c1c2-aaaa-7bbb-8ccc-000000000001'
const event = {
  id,
  event: 'go',
  occurred: '2030-01-02T03:04:05.000006Z',
  received: '2030-01-02T03:04:06Z',
  follows: null,
  resource: { 'prefect.resource.id': `prefect.flow-run.${id}`, 'prefect.resource.name': 'run', color: 'blue' },
  related: [
    { 'prefect.resource.id': 'prefect.flow.7', 'prefect.resource.role': 'flow' },
    { 'prefect.resource.id': 'prefect.tag.a', 'prefect.resource.role': 'tag' },
    { 'prefect.resource.id': 'prefect.tag.b', 'prefect.resource.role': 'tag' },
  ],
  payload: { n: 41, created: '2030-01-01T00:00:00Z' },
}
const run = {
  id,
  name: 'run',
  start_time: '2030-01-02T03:04:05Z',
  total_run_time: 12.5,
  parameters: { start_time: 'mine' },
  state: { type: 'COMPLETED', name: 'Completed', message: 'hi', timestamp: '2030-01-02T03:04:05Z' },
}
const firing = {
  id,
  trigger: { type: 'event' },
  triggered: '2030-01-02T03:04:05Z',
  triggering_labels: { a: 'b' },
  triggering_event: event,
  triggering_firings: [],
  trigger_states: ['Triggered'],
}

const scope = new Map<string, Value>([
  ['event', eventModel(event, 'http://here/events/event/x')],
  ['labels', labelsModel({ 'prefect.resource.id': 'x.y', 'prefect.resource': 'whole', plain: 'p' })],
  ['flow_run', runModel('flow-run', run, {})],
  [
    'told',
    runModel('flow-run', run, {
      'prefect.state-type': 'FAILED',
      'prefect.state-name': 'Broken',
      'prefect.state-message': 'oh',
      'prefect.state-timestamp': '2030-01-01T00:00:00Z',
    }),
  ],
  ['firing', firingModel({ ...firing, triggering_firings: [firing] }, () => null)],
  ['automation', toModel('automation', { id, name: 'auto', trigger: { type: 'event', within: 90.5, expect: ['a'] } })],
  ['pool', toModel('work-pool', { id, name: 'the pool' })],
  ['other', resourceModel({ 'prefect.resource.id': 'thing.1' })],
])

test.each([
  // Events.
  ['{{ event.event }} {{ event.id }}', `go ${id}`],
  ['{{ event.occurred }}', '2030-01-02 03:04:05.000006+00:00'],
  ['{{ event.received }}', '2030-01-02 03:04:06+00:00'],
  ['{{ event.received.strftime("%d.%m.%y %H:%M") }} {{ event.received.isoformat() }}', '02.01.30 03:04 2030-01-02T03:04:06+00:00'],
  ['{{ event.received - event.occurred }}', '0:00:00.999994'],
  ['{{ event.occurred.date() }} {{ event.received.time() }} {{ event.occurred.date().strftime("%A") }}', '2030-01-02 03:04:06 Wednesday'],
  ['{{ event.occurred.time().isoformat() }} {{ event.occurred.date() | tojson }}', '03:04:05.000006 "2030-01-02"'],
  ['{{ event.received.format("dddd D.M.YY [at] HH:mm:ss") }}', 'Wednesday 2.1.30 at 03:04:06'],
  ['{{ event.occurred < event.received }}', 'True'],
  ['{{ event.payload.n + 1 }} {{ event.payload.created }}', '42 2030-01-01T00:00:00Z'],
  ['{{ event.payload }}', "{'n': 41, 'created': '2030-01-01T00:00:00Z'}"],
  ['{{ event.follows }} {{ event.url }}', 'None http://here/events/event/x'],
  // Resources.
  [
    '{{ event.resource.id }} {{ event.resource.name }} {{ event.resource.color }} {{ event.resource["color"] }}',
    `prefect.flow-run.${id} run blue blue`,
  ],
  ['{{ event.resource["prefect.resource.name"] }} {{ event.resource.get("color") }} {{ event.resource.get("none") }}', 'run blue None'],
  ['{% for label, value in event.resource.items() %}{{ label }},{% endfor %}', 'prefect.resource.id,prefect.resource.name,color,'],
  ['{{ event.resource.labels.prefect.resource.name }} {{ event.resource.labels.color }}', 'run blue'],
  ['{{ event.related[0].role }} {{ event.related | map(attribute="id") | join(",") }}', 'flow prefect.flow.7,prefect.tag.a,prefect.tag.b'],
  [
    '{{ event.resource_in_role["flow"].id }} {{ event.resource_in_role.tag.id }} {{ event.resources_in_role["tag"] | length }}',
    'prefect.flow.7 prefect.tag.a 2',
  ],
  ['{{ event.involved_resources | length }} {{ event.find_resource_label("color") }}', '4 blue'],
  ['{{ event.find_resource_label("related:tag:prefect.resource.id") }} {{ event.find_resource_label("none") }}', 'prefect.tag.a None'],
  ['{{ event.resource.nothing }}|{{ event.resource_in_role.nobody.id }}', '|'],
  // Labels.
  ['{{ labels.prefect.resource.id }} {{ labels.prefect.resource }} {{ labels.plain }} {{ labels["prefect.resource.id"] }}', 'x.y whole p x.y'],
  ['{{ labels.prefect }}|{{ labels.nobody }}|{{ labels.prefect.resource == "whole" }}', '||True'],
  // Runs and their states.
  ['{{ flow_run.name }} {{ flow_run.total_run_time }} {{ flow_run.total_run_time.total_seconds() }}', 'run 0:00:12.500000 12.5'],
  ['{{ flow_run.start_time }} {{ flow_run.parameters.start_time }}', '2030-01-02 03:04:05+00:00 mine'],
  [
    '{{ flow_run.state }} {{ flow_run.state.type }} {{ flow_run.state.type.value }} {{ flow_run.state.is_completed() }} {{ flow_run.state.is_final() }}',
    "Completed('hi') COMPLETED COMPLETED True True",
  ],
  ['{{ told.state.name }} {{ told.state.message }} {{ told.state.timestamp.year }} {{ told.state }}', "Broken oh 2030 Broken('oh', type=FAILED)"],
  ['{{ flow_run.state.type == "COMPLETED" }}', 'True'],
  // Firings and the automation.
  [
    '{{ firing.triggered.hour }} {{ firing.triggering_labels.a }} {{ firing.triggering_event.event }} {{ firing.triggering_firings[0].triggering_event.resource.id }}',
    `3 b go prefect.flow-run.${id}`,
  ],
  [
    '{{ automation.name }} {{ automation.trigger.type }} {{ automation.trigger.within }} {{ automation.trigger.expect }}',
    "auto event 0:01:30.500000 ['a']",
  ],
  // As JSON: what they consist of, not what is worked out of it.
  ['{{ event | tojson == event | tojson }} {{ (event | tojson).startswith(\'{"event": "go", "follows": null, "id": \') }}', 'True True'],
  ['{{ "url" in (event | tojson) }} {{ "is_final" in (flow_run | tojson) }} {{ "triggering_event" in (firing | tojson) }}', 'False False True'],
  ['{{ flow_run.state | tojson }}', '{"message": "hi", "name": "Completed", "timestamp": "2030-01-02T03:04:05Z", "type": "COMPLETED"}'],
  ['{{ event.resource | tojson }}', `{"color": "blue", "prefect.resource.id": "prefect.flow-run.${id}", "prefect.resource.name": "run"}`],
  ['{{ flow_run.start_time | tojson }} {{ flow_run.total_run_time | tojson }} {{ labels.plain | tojson }}', '"2030-01-02T03:04:05Z" 12.5 "p"'],
  // Links.
  ['{{ event | ui_url }}', `http://here/events/event/2030-01-02/${id}`],
  ['{{ flow_run | ui_url }} {{ automation | ui_url }}', `http://here/runs/flow-run/${id} http://here/automations/automation/${id}`],
  ['{{ pool | ui_url }} {{ event.resource | ui_url }}', `http://here/work-pools/work-pool/the%20pool http://here/runs/flow-run/${id}`],
  ['{{ other | ui_url }} {{ "text" | ui_url }}', 'None None'],
  [
    '{{ event.resource | ui_resource_events_url }} {{ automation | ui_resource_events_url }}',
    `http://here/events?resource=prefect.flow-run.${id} http://here/events?resource=prefect.automation.${id}`,
  ],
  ['{{ firing | ui_resource_events_url }}', 'None'],
])('%s', (template, text) => {
  expect(renderTemplate(template, scope, { filters: linkFilters('http://here') })).toBe(text)
})
