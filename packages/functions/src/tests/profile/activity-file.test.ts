import { toCsv } from '@floorpass/api'
import { expect, test } from 'vitest'

// Anyone can choose the browser's name of a failed sign-in, and it stands in the file of the account's owner.
test.each([
  ['=1+2', "'=1+2"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(1)', "'@SUM(1)"],
  ['＝1+2', "'＝1+2"],
  [' =1', "' =1"],
  ['Opera;=1+2', "Opera;'=1+2"],
  ['a;\t@SUM(1)', "a;'\t'@SUM(1)"],
  ['a\n=1', '"a\n\'=1"'],
  ['a;"=1"', '"a;\'""=1"""'],
  ['a,b', '"a,b"'],
  ['Chrome 140 on Windows', 'Chrome 140 on Windows'],
])('no spreadsheet runs the cell %j', (cell, written) => {
  expect(toCsv([[cell]])).toBe(`${written}\r\n`)
})
