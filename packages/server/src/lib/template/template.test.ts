import { describe, expect, test } from 'vitest'
import { fromJsonValue } from './json.ts'
import { isTemplate, listUsedNames, renderTemplate } from './template.ts'
import type { Value } from './values.ts'

/** The variables of the templates below. */
const scope = new Map<string, Value>(
  Object.entries({
    n: 41,
    f: 2.5,
    s: 'hello world',
    u: 'ünïcödé ☃',
    list: [3, 1, 2],
    names: ['bob', 'Ann', 'carl'],
    d: { b: 1, a: 2, items: 'x' },
    nested: { a: [{ b: 'c' }] },
    t: true,
    nil: null,
    empty: [],
    people: [
      { name: 'Bob', age: 30, tags: ['x', 'y'] },
      { name: 'Ann', age: 25 },
      { name: 'carl', age: 30 },
    ],
    html: '<b>"q" & \'a\'</b>',
    multi: 'line one\nline two\n\nline four',
    zero: 0,
    neg: -7,
  }).map(([name, value]): [string, Value] => [name, fromJsonValue(value)]),
)
scope.set('big', 12345678901234567890n)
scope.set('one', 1)

/** The output of Jinja 3.1.6 in the sandbox of the reference. */
const rendered: readonly (readonly [template: string, text: string])[] = [
  [
    '{{ n }}|{{ n + 1 }}|{{ n / 2 }}|{{ n // 2 }}|{{ n % 5 }}|{{ neg % 5 }}|{{ neg // 2 }}|{{ 2 ** 10 }}|{{ 2 ** -1 }}|{{ -n }}|{{ +n }}',
    '41|42|20.5|20|1|3|-4|1024|0.5|-41|41',
  ],
  [
    '{{ 10 / 2 }} {{ 1e16 }} {{ 1e15 }} {{ 0.1 }} {{ 1e-5 }} {{ 0.0001 }} {{ 123456789.123 }} {{ 1.0 }} {{ 1_000 }} {{ 0x1f }} {{ 0b11 }} {{ 0o17 }}',
    '5.0 1e+16 1000000000000000.0 0.1 1e-05 0.0001 123456789.123 1.0 1000 31 3 15',
  ],
  ['{{ f * 2 }} {{ f // 2 }} {{ f % 2 }} {{ f ** 2 }} {{ 7.0 }} {{ 3 * 1.5 }}', '5.0 1.0 0.5 6.25 7.0 4.5'],
  ['{{ big }} {{ big + 1 }} {{ big * big }}', '12345678901234567890 12345678901234567891 152415787532388367501905199875019052100'],
  ['{{ s ~ n ~ f ~ t ~ nil }}', 'hello world412.5TrueNone'],
  ['{{ "a" "b" \'c\' }}', 'abc'],
  ['{{ s * 2 }} {{ [1,2] * 2 }} {{ [1] + [2] }} {{ (1,2) + (3,) }}', 'hello worldhello world [1, 2, 1, 2] [1, 2] (1, 2, 3)'],
  [
    '{{ t }} {{ nil }} {{ true }} {{ True }} {{ none }} {{ None }} {{ false and 1 }} {{ 0 or "x" }} {{ not t }} {{ not [] }}',
    'True None True True None None False x False True',
  ],
  [
    '{{ list }} {{ d }} {{ nested }} {{ (1, "a", 2.0) }} {{ (1,) }} {{ () }} {{ [] }} {{ {} }} {{ {"a": 1, 2: "b"} }}',
    "[3, 1, 2] {'b': 1, 'a': 2, 'items': 'x'} {'a': [{'b': 'c'}]} (1, 'a', 2.0) (1,) () [] {} {'a': 1, 2: 'b'}",
  ],
  ['{{ missing }}|{{ missing.a.b.c }}|{{ missing["a"] }}|{{ n.foo }}|{{ d.zzz.yyy }}|{{ list[99] }}', '|||||'],
  [
    '{{ missing == missing2 }} {{ missing == none }} {{ missing is defined }} {{ missing is undefined }} {{ d.a is defined }}',
    'True False False True True',
  ],
  [
    '{{ missing ~ "x" }} {{ missing | upper }} {{ missing | length }} {{ missing | list }} {% for x in missing %}a{% else %}none{% endfor %}',
    'x  0 [] none',
  ],
  [
    '{{ missing | join(",") }}{{ missing | default("D") }}{{ "" | default("D") }}{{ "" | default("D", true) }}{{ nil | default("D") }}{{ nil | d("D", boolean=True) }}',
    'DDNoneD',
  ],
  ['{{ "x" in missing }} {{ 1 in [1,2] }} {{ "ell" in s }} {{ "a" in d }} {{ 3 not in list }} {{ n in [41.0] }}', 'False True True True False True'],
  [
    '{{ d.keys() | list }} {{ d.values() | list }} {{ d.items() | list }} {{ d.get("zz") }} {{ d.get("zz", 5) }} {{ d.get("a") }}',
    "['b', 'a', 'items'] [1, 2, 'x'] [('b', 1), ('a', 2), ('items', 'x')] None 5 2",
  ],
  ['{{ nested.a[0].b }} {{ nested["a"][0]["b"] }} {{ nested.a.0.b }} {{ nested.a[-1].b }}', 'c c c c'],
  [
    '{{ list[0] }} {{ list[-1] }} {{ list[1:] }} {{ list[:2] }} {{ list[::-1] }} {{ list[::2] }} {{ s[0:5] }} {{ s[::-1] }} {{ s[-5:] }} {{ s[10:2:-2] }}',
    '3 2 [1, 2] [3, 1] [2, 1, 3] [3, 2] hello dlrow olleh world drwo',
  ],
  [
    '{{ s.upper() }} {{ s.title() }} {{ s.split() }} {{ s.split("o") }} {{ s.split("o", 1) }} {{ s.replace("l", "L") }} {{ s.replace("l","L",1) }} {{ s.startswith("he") }} {{ s.endswith("x") }} {{ s.find("o") }} {{ s.count("l") }}',
    "HELLO WORLD Hello World ['hello', 'world'] ['hell', ' w', 'rld'] ['hell', ' world'] heLLo worLd heLlo world True False 4 3",
  ],
  [
    '{{ "  x ".strip() }}| {{ "xxaxx".strip("x") }} {{ "xxaxx".lstrip("x") }} {{ "a,b,c".rsplit(",", 1) }} {{ "-".join(names) }} {{ "a-b-c".partition("-") }} {{ "a-b-c".rpartition("-") }}',
    "x| a axx ['a,b', 'c'] bob-Ann-carl ('a', '-', 'b-c') ('a-b', '-', 'c')",
  ],
  [
    '{{ "abc".center(9) }}| {{ "abc".ljust(6) }}| {{ "abc".rjust(6, "*") }} {{ "7".zfill(3) }} {{ "-7".zfill(4) }} {{ "ab".isalpha() }} {{ "12".isdigit() }} {{ "aB".swapcase() }} {{ "abc".capitalize() }}',
    '   abc   | abc   | ***abc 007 -007 True True Ab Abc',
  ],
  [
    '{{ "{} and {}".format(1, "x") }} {{ "{0}{1}{0}".format("a","b") }} {{ "{x:>6}|{y:.2f}|{z:,}".format(x="r", y=3.14159, z=1234567) }} {{ "{:05d} {:+d} {:x} {:e}".format(42, 42, 255, 12345.678) }} {{ "{:%}".format(0.25) }} {{ "{:<5}|{:^5}|".format("a","b") }}',
    '1 and x aba      r|3.14|1,234,567 00042 +42 ff 1.234568e+04 25.000000% a    |  b  |',
  ],
  [
    '{{ "%s is %d and %.2f%%" | format("a", 5, 1.239) }} {{ "%s-%s" % ("a", 1) }} {{ "%05d|%-5s|%5s" % (42, "a", "b") }} {{ "%(a)s" | format(a=3) }} {{ "%x %X %o" % (255, 255, 8) }} {{ "%r" % "a" }} {{ "%e" % 1234.5 }} {{ "%g" % 1234.5 }}',
    "a is 5 and 1.24% a-1 00042|a    |    b 3 ff FF 10 'a' 1.234500e+03 1234.5",
  ],
  [
    '{{ names | sort }} {{ names | sort(reverse=true) }} {{ names | sort(case_sensitive=true) }} {{ list | sort }} {{ people | sort(attribute="age") | map(attribute="name") | list }} {{ people | sort(attribute="age,name") | map(attribute="name") | join(",") }}',
    "['Ann', 'bob', 'carl'] ['carl', 'bob', 'Ann'] ['Ann', 'bob', 'carl'] [1, 2, 3] ['Ann', 'Bob', 'carl'] Ann,Bob,carl",
  ],
  ['{{ [1,2,1,"a","A"] | unique | list }} {{ people | unique(attribute="age") | map(attribute="name") | list }}', "[1, 2, 'a'] ['Bob', 'Ann']"],
  [
    '{{ list | min }} {{ list | max }} {{ names | min }} {{ names | max }} {{ people | max(attribute="age") }} {{ [] | min }} {{ list | sum }} {{ people | sum(attribute="age") }} {{ [1.5, 2] | sum }} {{ [1] | sum(start=10) }}',
    "1 3 Ann carl {'name': 'Bob', 'age': 30, 'tags': ['x', 'y']}  6 85 3.5 11",
  ],
  [
    '{{ list | first }} {{ list | last }} {{ empty | first }} {{ s | first }} {{ s | last }} {{ list | reverse | list }} {{ s | reverse }} {{ list | length }} {{ s | count }} {{ d | length }}',
    '3 2  h d [2, 1, 3] dlrow olleh 3 11 3',
  ],
  [
    '{{ names | map("upper") | list }} {{ names | map("replace", "a", "_") | join(" ") }} {{ people | map(attribute="tags", default="-") | list }} {{ people | map(attribute="name") | map("lower") | join(";") }}',
    "['BOB', 'ANN', 'CARL'] bob Ann c_rl [['x', 'y'], '-', '-'] bob;ann;carl",
  ],
  [
    '{{ [1,2,3,4] | select("odd") | list }} {{ [1,2,3,4] | reject("even") | list }} {{ [0,1,"",none] | select | list }} {{ [1,2,3,4] | select(">", 2) | list }} {{ [1,2,3] | select("in", [1,3]) | list }} {{ [1,2,3,4] | select("divisibleby", 2) | list }}',
    '[1, 3] [1, 3] [1] [3, 4] [1, 3] [2, 4]',
  ],
  [
    '{{ people | selectattr("age", "eq", 30) | map(attribute="name") | list }} {{ people | rejectattr("age", "gt", 25) | map(attribute="name") | list }} {{ people | selectattr("tags") | list | length }} {{ people | selectattr("tags", "defined") | map(attribute="name") | first }}',
    "['Bob', 'carl'] ['Ann'] 1 Bob",
  ],
  [
    '{{ people | groupby("age") }}',
    "[(25, [{'name': 'Ann', 'age': 25}]), (30, [{'name': 'Bob', 'age': 30, 'tags': ['x', 'y']}, {'name': 'carl', 'age': 30}])]",
  ],
  [
    '{% for age, group in people | groupby("age") %}{{ age }}:{{ group | map(attribute="name") | join(",") }};{% endfor %}{% for g in people | groupby("age") %}{{ g.grouper }}{{ g.list | length }}{% endfor %}',
    '25:Ann;30:Bob,carl;251302',
  ],
  [
    '{{ [1,2,3,4,5] | batch(2) | list }} {{ [1,2,3,4,5] | batch(2, "x") | list }} {{ [1,2,3,4,5] | slice(2) | list }} {{ [1,2,3,4,5] | slice(3, "x") | list }}',
    "[[1, 2], [3, 4], [5]] [[1, 2], [3, 4], [5, 'x']] [[1, 2, 3], [4, 5]] [[1, 2], [3, 4], [5, 'x']]",
  ],
  [
    '{{ d | dictsort }} {{ d | dictsort(reverse=true) }} {{ {"x": 2, "y": 1} | dictsort(by="value") }} {{ {"b":1,"A":2} | dictsort }} {{ {"b":1,"A":2} | dictsort(case_sensitive=true) }} {{ d | items | list }}',
    "[('a', 2), ('b', 1), ('items', 'x')] [('items', 'x'), ('b', 1), ('a', 2)] [('y', 1), ('x', 2)] [('A', 2), ('b', 1)] [('A', 2), ('b', 1)] [('b', 1), ('a', 2), ('items', 'x')]",
  ],
  [
    '{{ s | upper }} {{ s | title }} {{ "foo-bar baz_q" | title }} {{ "HELLO" | capitalize }} {{ "  x " | trim }}| {{ "xxaxx" | trim("x") }} {{ s | replace("o", "0") }} {{ s | replace("o", "0", 1) }} {{ s | wordcount }}',
    'HELLO WORLD Hello World Foo-Bar Baz_q Hello x| a hell0 w0rld hell0 world 2',
  ],
  [
    '{{ "a long sentence that goes on and on for a while" | truncate(20) }}|{{ "a long sentence that goes on and on" | truncate(20, true) }}|{{ "abcdefghij" | truncate(5, true, "", 0) }}|{{ "short" | truncate(3, leeway=5) }}',
    'a long sentence...|a long sentence t...|abcde|short',
  ],
  [
    '{{ multi | indent }}|{{ multi | indent(2, true) }}|{{ multi | indent(2, blank=true) }}|{{ multi | indent(width=">>") }}',
    'line one\n    line two\n\n    line four|  line one\n  line two\n\n  line four|line one\n  line two\n  \n  line four|line one\n>>line two\n\n>>line four',
  ],
  ['{{ "abc" | center(10) }}|{{ "abcd" | center(9) }}|', '   abc    |   abcd  |'],
  ['{{ u | wordcount }} {{ [1, 2] | join(5) }} {{ people | sort(attribute="nothing") | map(attribute="name") | join(",") }}', '1 152 Bob,Ann,carl'],
  ['{{ "&lt;<i>x</i>&gt; &amp;" | striptags }}', '<x> &'],
  [
    '{{ 999 | humanize_intword }} {{ 12400 | humanize_intword }} {{ 999999 | humanize_intword }} {{ -4500 | humanize_intword }} {{ "x" | humanize_intword }} {{ 5 | humanize_apnumber }} {{ 10 | humanize_apnumber }}',
    '999 12.4 thousand 1.0 million -4.5 thousand x five 10',
  ],
  [
    '{{ 0 | humanize_precisedelta }}|{{ 1.5 | humanize_precisedelta }}|{{ 3661 | humanize_precisedelta }}|{{ 59.999 | humanize_precisedelta }}|{{ 40000000 | humanize_precisedelta }}',
    '0 seconds|1.50 seconds|1 hour, 1 minute and 1 second|1 minute|1 year, 3 months, 5 days, 23 hours, 6 minutes and 40 seconds',
  ],
  ['{{ "the quick brown fox jumps" | wordwrap(10) }}', 'the quick\nbrown fox\njumps'],
  [
    '{{ html | escape }} {{ html | e }} {{ html | safe }} {{ html | striptags }} {{ html | forceescape }}',
    '&lt;b&gt;&#34;q&#34; &amp; &#39;a&#39;&lt;/b&gt; &lt;b&gt;&#34;q&#34; &amp; &#39;a&#39;&lt;/b&gt; <b>"q" & \'a\'</b> "q" & \'a\' &lt;b&gt;&#34;q&#34; &amp; &#39;a&#39;&lt;/b&gt;',
  ],
  [
    '{{ 42.55 | round }} {{ 42.55 | round(1) }} {{ 42.55 | round(1, "floor") }} {{ 42.51 | round(1, "ceil") }} {{ 2.5 | round }} {{ 3.5 | round }} {{ 2.675 | round(2) }} {{ 0.125 | round(2) }} {{ 42 | round }} {{ 1234 | round(-2) }} {{ -2.5 | round }} {{ 0.35 | round(1) }}',
    '43.0 42.5 42.5 42.6 2.0 4.0 2.67 0.12 42 1200 -2.0 0.3',
  ],
  [
    '{{ "42" | int }} {{ "42.9" | int }} {{ "x" | int }} {{ "x" | int(7) }} {{ "0x1f" | int(0, 16) }} {{ "ff" | int(base=16) }} {{ 3.99 | int }} {{ nil | int }} {{ "1e3" | int }} {{ t | int }} {{ "" | int(-1) }} {{ "1_000" | int }}',
    '42 42 0 7 31 255 3 0 1000 1 -1 1000',
  ],
  [
    '{{ "3.14" | float }} {{ "x" | float }} {{ "x" | float(1.5) }} {{ 3 | float }} {{ "1e3" | float }} {{ nil | float }} {{ "inf" | float }}',
    '3.14 0.0 1.5 3.0 1000.0 0.0 inf',
  ],
  [
    '{{ 13 | string }} {{ 13 | string | length }} {{ -5 | abs }} {{ -5.5 | abs }} {{ 1 | filesizeformat }} {{ 999 | filesizeformat }} {{ 1500 | filesizeformat }} {{ 1048576 | filesizeformat(true) }} {{ 1500000000 | filesizeformat }}',
    '13 2 5 5.5 1 Byte 999 Bytes 1.5 kB 1.0 MiB 1.5 GB',
  ],
  [
    '{{ "a b&c/d?é" | urlencode }} {{ {"a": "x y", "b": 1} | urlencode }} {{ "~-_.!*\'()" | urlencode }}',
    'a%20b%26c/d%3F%C3%A9 a=x+y&b=1 ~-_.%21%2A%27%28%29',
  ],
  [
    '{{ d | tojson }} {{ list | tojson }} {{ html | tojson }} {{ u | tojson }} {{ nil | tojson }} {{ t | tojson }} {{ one | tojson }} {{ big | tojson }} {{ f | tojson }} {{ (1,2) | tojson }} {{ "a\\nb\\t\\"" | tojson }} {{ {"b":{"z":1,"a":[]},"a":{}} | tojson(indent=2) }}',
    '{"a": 2, "b": 1, "items": "x"} [3, 1, 2] "\\u003cb\\u003e\\"q\\" \\u0026 \\u0027a\\u0027\\u003c/b\\u003e" "\\u00fcn\\u00efc\\u00f6d\\u00e9 \\u2603" null true 1.0 12345678901234567890 2.5 [1, 2] "a\\nb\\t\\"" {\n  "a": {},\n  "b": {\n    "a": [],\n    "z": 1\n  }\n}',
  ],
  [
    '{% if n > 40 %}big{% elif n > 10 %}mid{% else %}small{% endif %}|{% if not t %}a{% endif %}|{% if s == "hello world" and n != 3 %}ok{% endif %}|{{ "y" if n else "z" }}|{{ "y" if missing }}|{{ 1 if 0 else 2 if 0 else 3 }}',
    'big||ok|y||3',
  ],
  [
    '{% for x in list %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ x }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.cycle("a","b") }};{% endfor %}',
    '103TrueFalse331a;212FalseFalse3132b;321FalseTrue321a;',
  ],
  [
    '{% for k, v in d.items() %}{{ k }}={{ v }},{% endfor %}{% for x in list if x > 1 %}{{ loop.index }}{{ x }}{% endfor %}{% for x in [] %}a{% else %}empty{% endfor %}{% for c in "abc" %}{{ c }}-{% endfor %}{% for k in d %}{{ k }}{% endfor %}',
    'b=1,a=2,items=x,1322emptya-b-c-baitems',
  ],
  ['{% set x = 1 %}{% for i in list %}{% set x = x + i %}{{ x }} {% endfor %}{{ x }}', '4 2 3 1'],
  ['{% set ns = namespace(total=0) %}{% for i in list %}{% set ns.total = ns.total + i %}{% endfor %}{{ ns.total }}', '6'],
  [
    '{% set a, b = 1, 2 %}{{ a }}{{ b }}{% set block %}text {{ n }}{% endset %}{{ block }}{% set up | upper %}abc{% endset %}{{ up }}',
    '12text 41ABC',
  ],
  ['{% with a = 5, b = n %}{{ a }}{{ b }}{% endwith %}{{ a }}', '541'],
  ['{% filter upper %}abc {{ s }}{% endfilter %}{% filter replace("a", "b") | upper %}aaa{% endfilter %}', 'ABC HELLO WORLDBBB'],
  ['{% macro m(a, b=2) %}[{{ a }}-{{ b }}]{% endmacro %}{{ m(1) }}{{ m(1, 3) }}{{ m(b=5, a=4) }}{{ m() }}', '[1-2][1-3][4-5][-2]'],
  ['{% macro wrap() %}<{{ caller() }}>{% endmacro %}{% call wrap() %}in{% endcall %}', '<in>'],
  ['{% macro wrap2() %}{{ caller(5) }}{% endmacro %}{% call(v) wrap2() %}v={{ v }}{% endcall %}', 'v=5'],
  ['{% for item in [{"n":1,"c":[{"n":2,"c":[]}]}] recursive %}{{ item.n }}{{ loop.depth }}{{ loop(item.c) }}{% endfor %}', '1122'],
  ['{% raw %}{{ not }} {% this %}{% endraw %} {# comment #}x{#- c -#}  y', '{{ not }} {% this %} xy'],
  ['a  {%- if t -%}  b  {%- endif -%}  c {{- n -}} d', 'abc41d'],
  [
    '{{ range(5) | list }} {{ range(2, 8, 3) | list }} {{ range(5, 0, -2) | list }}{% for i in range(3) %}{{ i }}{% endfor %}',
    '[0, 1, 2, 3, 4] [2, 5] [5, 3, 1]012',
  ],
  [
    '{{ dict(a=1, b="x") }} {{ dict(a=1).a }} {% set c = cycler("x", "y") %}{{ c.next() }}{{ c.next() }}{{ c.next() }}{{ c.current }} {% set j = joiner("|") %}{% for i in list %}{{ j() }}{{ i }}{% endfor %}',
    "{'a': 1, 'b': 'x'} 1 xyxy 3|1|2",
  ],
  [
    '{{ 1 is odd }} {{ 2 is even }} {{ 6 is divisibleby 3 }} {{ 6 is divisibleby(4) }} {{ n is number }} {{ s is string }} {{ d is mapping }} {{ list is sequence }} {{ list is iterable }} {{ nil is none }} {{ t is boolean }} {{ t is true }} {{ n is integer }} {{ f is float }} {{ range is callable }} {{ "a" is lower }} {{ "A" is upper }} {{ 1 is eq 1 }} {{ 1 is lt 2 }} {{ 1 is in [1] }} {{ 1 is not in [1] }} {{ n is not defined }} {{ 1 is sameas 1 }} {{ "upper" is filter }} {{ "odd" is test }} {{ nil is not none }}',
    'True True True False True True True True True True True True True True True True True True True True False False True True True False',
  ],
  [
    '{{ 1 < 2 < 3 }} {{ 1 < 3 < 2 }} {{ "a" < "b" }} {{ [1,2] < [1,3] }} {{ 1 == 1.0 }} {{ true == 1 }} {{ "1" == 1 }} {{ [1] == [1] }} {{ {"a":1} == {"a":1} }} {{ (1,) == [1] }} {{ 1 != 2 }}',
    'True False True True True True False True True False True',
  ],
  ['{{ s.__class__ }}|{{ s.__class__.__mro__ }}|{{ d.__init__ }}|{{ [].__class__.__base__ }}', '|||'],
  ['{{ true + 1 }} {{ true * 3 }} {{ -true }} {{ 5 - true }}', '2 3 -1 4'],
  ['{{ "abc"[5] }}|{{ "abc"[1] }}|{{ d[1] }}|{{ none.x }}|{{ none["x"] }}', '|b|||'],
  [
    '{{ "it\'s" }} {{ ["it\'s", \'say "hi"\', "a\\nb", "t\\tab", "back\\\\slash"] }} {{ ["☃ü"] }}',
    "it's [\"it's\", 'say \"hi\"', 'a\\nb', 't\\tab', 'back\\\\slash'] ['☃ü']",
  ],
  ['{{ "\\x41\\u00e9\\n" }}{{ \'\\\'\' }}{{ "\\q" }}', "Aé\n'\\q"],
  [
    '{{ (n, f) | join("-") }} {{ d | list }} {{ d | join(",") }} {{ "abc" | list }} {{ people | join(", ", attribute="name") }} {{ people | map(attribute=0) | list }}',
    "41-2.5 ['b', 'a', 'items'] b,a,items ['a', 'b', 'c'] Bob, Ann, carl [Undefined, Undefined, Undefined]",
  ],
  [
    '{{ n if n is odd and n > 3 else "no" }} {{ (n > 3) and "yes" or "no" }} {{ [n, f] | map("string") | join }} {{ -n | abs }} {{ (-n) | abs }} {{ n|string ~ "x" }} {{ not n == 3 }} {{ not n is odd }}',
    '41 yes 412.5 41 41 41x True False',
  ],
  ['{% for a in [1,2] %}{% for b in [3,4] %}{{ loop.index }}{{ a }}{{ b }} {% endfor %}{{ loop.index }}{% endfor %}', '113 214 1123 224 2'],
  ['{% for x in [1,1,2] %}{% if loop.changed(x) %}{{ x }}{% endif %}{% endfor %}', '12'],
  ['{{ foo.bar | default("x") }} {{ d.items() | length }} {{ {"a": {"b": [1, {"c": "d"}]}}.a.b[1].c }}', 'x 3 d'],
  [
    '{% if missing %}a{% else %}b{% endif %}{% if missing is defined and missing.x %}a{% else %}b{% endif %}{{ missing or "fallback" }}{{ (missing or {}).get("a", "b") }}',
    'bbfallbackb',
  ],
  [
    '{{ [1,2,3][1:][0] }} {{ "a-b".split("-")[1] }} {{ s.upper().lower().title() }} {{ (s | upper)[0] }} {{ {"k": [1,2]}["k"][-1] }}',
    '2 b Hello World H 2',
  ],
  ['{% block title %}T{{ n }}{% endblock %}{% autoescape false %}<{{ html }}>{% endautoescape %}{% print n %}', 'T41<<b>"q" & \'a\'</b>>41'],
  [
    '{{ "%.1f" | format(3.14159) }} {{ "%d" | format(3.9) }} {{ "%s" | format(none) }} {{ "%s %s" | format([1], {"a": 1}) }} {{ "%5.1f|" | format(2.25) }} {{ "%+d" | format(5) }}',
    "3.1 3 None [1] {'a': 1}   2.2| +5",
  ],
  [
    '{{ 1.5e300 * 1e10 }} {{ 1e308 * 10 }} {{ 3.0 == 3 }} {{ 1e22 }} {{ 123456789012345680.0 }} {{ 5e-324 }} {{ 0.1 + 0.2 }} {{ 100.0 }} {{ 1.10 }} {{ -0.0 }}',
    'inf inf True 1e+22 1.2345678901234568e+17 5e-324 0.30000000000000004 100.0 1.1 -0.0',
  ],
  [
    '{{ ["a","b"] | join(d="+") }} {{ {"a":[1,2]} | tojson | length }} {{ "x" | default }} {{ zero | default(5, true) }} {{ n | default(1) | string }}',
    'a+b 13 x 5 41',
  ],
  [
    '{{ "A,b" | lower | replace(",", ";") | upper }} {{ [[1,2],[3]] | sum(start=[]) }} {{ [3,1] | sort | first }} {{ people | map(attribute="age") | sum }}',
    'A;B [1, 2, 3] 1 85',
  ],
  ['{{ n }}\n', '41'],
  ['  {% if t %}\n  x\n  {% endif %}\n', '  \n  x\n  '],
  ['{%- for x in list %}\n- {{ x }}\n{%- endfor %}\n', '\n- 3\n- 1\n- 2'],
  ["{{ {'a': {'b': 1}}}}", "{'a': {'b': 1}}"],
  ["{{ '}}' }}", '}}'],
  ["{% if '%}' %}x{% endif %}", 'x'],
  ['{{ n\n+\n1 }}', '42'],
  ['{%+ if t %}x{% endif +%} y', 'x y'],
  ['{{ n }}{#c#}{{ n }}', '4141'],
]

/** Templates that Jinja fails to render. */
const failing: readonly string[] = [
  '{{ missing + 1 }}',
  '{{ missing() }}',
  '{{ missing < 1 }}',
  '{{ missing | int }}',
  '{{ missing | tojson }}',
  '{{ range(101) | list }}',
  '{{ 1 < "a" }}',
  '{{ nil + 1 }}',
  '{{ "a" + 1 }}',
  '{{ 1 / 0 }}',
  '{{ 5 // 0 }}',
  '{{ s | nofilter }}',
  '{{ s is notest }}',
  '{{ s.nomethod() }}',
  '{{ s.__class__() }}',
  '{{ \'\'.join(["a", 1]) }}',
  '{{ d.update({"z": 1}) }}',
  '{{ list.append(4) }}',
  '{% include "x" %}',
  '{{ 5 | pprint }} {{ "Hello <b>World</b>" | striptags | upper }} {{ "x" * 3 ~ "y" }} {{ 2 + 3 ~ 4 }} {{ "a" ~ 1 + 2 }} {{ 2 * 3 ** 2 }} {{ 2 ** 3 ** 2 }} {{ -2 ** 2 }} {{ 7 % 3 * 2 }}',
]

describe('a template', () => {
  test.each(rendered)('renders as in Jinja: %s', (template, text) => {
    expect(renderTemplate(template, scope)).toBe(text)
  })
})

describe('a template', () => {
  test.each(failing)('fails as in Jinja: %s', (template) => {
    expect(() => renderTemplate(template, scope)).toThrow()
  })
})

test('returns a text without template syntax unchanged', () => {
  expect(isTemplate('a { b } c')).toBe(false)
  expect(renderTemplate('a\n{# not a remark here #}\n', scope)).toBe('a\n{# not a remark here #}\n')
})

test('lists the names that templates read', () => {
  const names = listUsedNames([
    '{{ flow_run.name | default(flow.name) }}',
    '{% for x in events if x.id == event.id %}{{ x }}{% endfor %}',
    'plain',
    '{% set a = labels[b] %}',
  ])
  expect([...names].sort()).toEqual(['b', 'event', 'events', 'flow', 'flow_run', 'labels', 'x'])
})
