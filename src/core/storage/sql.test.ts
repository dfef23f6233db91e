import { expect, test } from 'vitest'
import { chooseSql, directionSql, identifier, identifiers, joinSql, placeholder, type Sql, sqlText } from './sql.ts'
import { Statement } from './statement.ts'

test('literals, other SQL and bound parameters compose', () => {
  const statement = new Statement()
  const store = statement.bind('a store')
  const conditions = [sqlText`o.store_id = ${store}`, sqlText`o.total > ${statement.bind(5)}`]
  const direction = chooseSql('DESC' as 'ASC' | 'DESC', { ASC: sqlText`asc`, DESC: sqlText`desc` })
  const text = sqlText`select 1 from orders o where ${joinSql(conditions, sqlText` and `)} order by o.total ${direction}`
  expect(text).toBe('select 1 from orders o where o.store_id = $1 and o.total > $2 order by o.total desc')
  expect(statement.values).toEqual(['a store', 5])
  expect(sqlText`select '\n'`).toBe("select '\n'")
  expect(sqlText``).toBe('')
  expect(sqlText`select ${identifiers(['id', 'name_2'])} from ${identifier('orders')} limit ${5}`).toBe(
    'select id, name_2 from orders limit 5',
  )
})

test('a plain string does not compile in any position', () => {
  const given: string = 'x; drop table orders'
  // @ts-expect-error A string is not SQL.
  expect(sqlText`select ${given}`).toContain(given)
  // @ts-expect-error A template without the tag is a string.
  const condition: Sql = `o.ref = '${given}'`
  expect(condition).toContain(given)
  // @ts-expect-error Each value needs SQL of its own.
  expect(() => chooseSql('DESC', { ASC: sqlText`asc` })).toThrow('no SQL')
})

test('a value without SQL of its own is never used as SQL', () => {
  const choices = { ASC: sqlText`asc`, DESC: sqlText`desc` }
  for (const value of ['asc; --', 'toString', '__proto__', ''])
    expect(() => chooseSql(value as 'ASC', choices)).toThrow('There is no SQL for')
  expect([directionSql('ASC'), directionSql('DESC')]).toEqual(['asc', 'desc'])
  expect(() => directionSql('asc, (select 1)' as 'ASC')).toThrow('There is no SQL for')
  for (const name of ['', 'a b', 'Orders', '1st', 'x; drop table orders', 'a"'])
    expect(() => identifier(name)).toThrow('not a name')
  for (const number of [0, -1, 1.5, Number.NaN, '1; --' as unknown as number])
    expect(() => placeholder(number)).toThrow('not the number')
})
