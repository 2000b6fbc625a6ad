import { describe, expect, test } from 'vitest'
import { defaultLimits } from './budget.ts'
import { fromJsonValue } from './json.ts'
import { checkTemplate, renderTemplate } from './template.ts'
import type { Value } from './values.ts'

const scope = new Map<string, Value>([
  ['big', 'x'.repeat(900_000)],
  ['digits', `${'1'.repeat(900_000)}x`],
  ['upper', 'X'.repeat(900_000)],
  ['words', 'a '.repeat(450_000)],
  ['comments', '<!--'.repeat(200_000)],
  ['many', fromJsonValue(Array.from({ length: 50_000 }, (_, index) => index))],
])

/** Templates that would run endlessly or exhaust the memory. */
const bombs: readonly string[] = [
  '{% for a in many %}{% for b in many %}{{ a * b }}{% endfor %}{% endfor %}',
  '{% for a in range(100) %}{% for b in range(100) %}{{ big | replace("x", "yy") | length }}{% endfor %}{% endfor %}',
  '{{ "a" * 10 ** 9 }}',
  '{{ [1] * 10 ** 9 }}',
  '{{ 10 ** (10 ** 10) }}',
  '{{ 2 ** (2 ** 30) }}',
  '{% set a = [big] * 1000 %}{% set b = [a] * 1000 %}{{ b }}',
  '{% set a = [big] * 1000 %}{% set b = [a] * 1000 %}{{ b | tojson }}',
  '{% set a = [1] * 1000 %}{% set b = [a] * 1000 %}{{ b == [a] * 1000 }}',
  '{% set ns = namespace(x="ab") %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}{{ ns.x }}',
  '{% set ns = namespace(x=3) %}{% for i in range(60) %}{% set ns.x = ns.x * ns.x %}{% endfor %}{{ ns.x }}',
  '{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = ns.x + ns.x %}{% endfor %}{{ ns.x | length }}',
  '{% macro m(x) %}{{ m(x) }}{{ m(x) }}{% endmacro %}{{ m(1) }}',
  '{% for x in [[1]] recursive %}{{ loop([[1]]) }}{% endfor %}',
  '{{ big | wordwrap(1) }}',
  '{{ big.split("x") }}',
  '{{ many | sort(reverse=true) | sort | sort | sort | sort | first }}',
  '{{ many | unique | length }}',
  '{{ many | map("string") | join(big) }}',
  '{{ "%999999999d" % 1 }}',
  '{{ "{:>999999999}".format(1) }}',
  '{{ "a" | center(999999999) }}',
  '{{ "a".ljust(999999999) }}',
  '{{ "1".zfill(999999999) }}',
  '{{ [1] | batch(10 ** 9, "x") }}',
  '{{ [1] | slice(10 ** 9) }}',
  '{{ ("a\n" * 90000) | indent(10 ** 9) }}',
  '{{ range(101) }}',
  '{{ range(0 - 10 ** 18, 10 ** 18) }}',
  '{{ "-".join([big, big]) }}',
  '{{ big ~ big }}',
  '{{ big }}{{ big }}',
  '{% for a in range(100) %}{{ big[:10000] }}{{ big[:10000] }}{% endfor %}',
]

/** Templates that took seconds or minutes before their cost was counted. */
const costly: readonly string[] = [
  `{{ '{:,}'.format(${'9'.repeat(99_000)}) }}`,
  `{% for a in range(100) %}{{ ${'9'.repeat(9000)} % 7 }}{% endfor %}`,
  `{{ many[${'9'.repeat(90_000)}] }}`,
  `{{ many | map(attribute='${'9'.repeat(90_000)}') | first }}`,
  "{% set a = 'a' * 400000 %}{{ (a ~ a).rfind(a ~ 'b') }}",
  "{% set a = 'a' * 400000 %}{{ (a ~ a).rpartition(a ~ 'b') }}",
  "{% set a = 'a' * 400000 %}{{ (a ~ 'b' ~ a) in (a ~ a) }}",
  "{{ ('%' ~ '0' * 300000) % 1 }}",
  "{{ ('{0' ~ '[' * 300000 ~ '}').format(1) }}",
  '{{ big.startswith(((big,) * 90000)) }}',
  '{{ words | title }}',
  '{{ words.title() }}',
  '{{ words.istitle() }}',
  '{{ words.swapcase() }}',
  '{{ words | wordwrap(20) }}',
  '{{ ([upper] * 300) | sort | first }}',
  '{{ ([upper] * 300) | unique | first }}',
  '{{ ([upper] * 300) | max }}',
  '{{ ([[upper]] * 60) | groupby(0) }}',
  "{{ ([[upper]] * 60) | sort(attribute='0,0,0,0,0,0') }}",
]

describe('rendering', () => {
  test.each(costly.map((template) => [template.length > 200 ? `${template.slice(0, 60)}…` : template, template]))(
    'stops within 100 ms of CPU time: %s',
    (_name, template) => {
      const began = process.threadCpuUsage()
      expect(() => renderTemplate(template, scope)).toThrow(/too|at most|big/)
      const { user, system } = process.threadCpuUsage(began)
      expect((user + system) / 1000).toBeLessThan(100)
    },
  )

  test('accepts numbers with as many digits as Python', () => {
    const nines = '9'.repeat(4300)
    expect(renderTemplate(`{{ ${nines} % 10 }} {{ ${nines} }}`, scope)).toBe(`9 ${nines}`)
    expect(renderTemplate("{{ '{:,}'.format(-1234567) }} {{ 1234567.5 | humanize_intcomma }} {{ -12 | humanize_intcomma }}", scope)).toBe(
      '-1,234,567 1,234,567.5 -12',
    )
    expect(renderTemplate("{{ ('y' * 300000 ~ 'x').strip('x' ~ 'y' * 300000) }}", scope)).toBe('')
  })

  test.each(bombs)('stops %s', (template) => {
    expect(() => renderTemplate(template, scope)).toThrow(/too|at most|big/)
  })

  test('renders texts that would make a regular expression backtrack', () => {
    expect(renderTemplate('{{ digits | float }} {{ digits | int }}', scope)).toBe('0.0 0')
    expect(renderTemplate('{{ digits | humanize_intcomma | length }}', scope)).toBe('900001')
    expect(renderTemplate('{{ comments | striptags | length }}', scope)).toBe('800000')
  })

  test('stops at the time limit', () => {
    let now = 0
    const slow = () => (now += 60_000)
    expect(() =>
      renderTemplate('{% for a in range(100) %}{% for b in range(100) %}{{ a * b }}{% endfor %}{% endfor %}', scope, { now: slow }),
    ).toThrow('100 ms')
  })

  test('keeps an ordinary message far below the limits', () => {
    const limits = { ...defaultLimits, stepsMax: 1000, outputCharactersMax: 1000, timeMs: 1 }
    const template = '{% for x in range(10) %}{{ loop.index }}. {{ x | string | center(20) }}\n{% endfor %}'
    expect(renderTemplate(template, scope, { limits }).length).toBeGreaterThan(200)
  })
})

describe('checkTemplate', () => {
  test.each([
    ['brackets', `{{ ${'('.repeat(40_000)}1${')'.repeat(40_000)} }}`],
    ['lists', `{{ ${'['.repeat(101)}${']'.repeat(101)} }}`],
    ['blocks', `${'{% if 1 %}'.repeat(101)}${'{% endif %}'.repeat(101)}`],
    ['steps', `{{ a${'.b'.repeat(45_000)} }}`],
    ['sums', `{{ 1${'+1'.repeat(45_000)} }}`],
    ['text', 'x'.repeat(100_001)],
    ['signs', `{{ ${'-'.repeat(5000)}1 }}`],
    ['negations', `{{ ${'not '.repeat(5000)}1 }}`],
  ])('rejects too many %s', (_what, template) => {
    expect(() => checkTemplate(template)).toThrow()
  })
})
