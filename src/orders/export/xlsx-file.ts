/**
 * Writes a workbook of one sheet as it goes (ECMA-376). Texts are inline strings, never formulas, so nothing in them is run;
 * numbers and money are numbers.
 */
import { COLUMNS } from './order-rows.ts'
import { createZipFile } from './zip-file.ts'

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

const PARTS: Readonly<Record<string, string>> = {
  '[Content_Types].xml':
    `<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/></Types>`,
  '_rels/.rels': relationships(['officeDocument', 'xl/workbook.xml']),
  'xl/workbook.xml':
    `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets>` +
    '<sheet name="Orders" sheetId="1" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels': relationships(
    ['worksheet', 'worksheets/sheet1.xml'],
    ['styles', 'styles.xml'],
  ),
  // Cells of style 0 are as they come, of 1 bold, of 2 money.
  'xl/styles.xml':
    `<styleSheet xmlns="${MAIN}">` +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
    '<fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>' +
    '<cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/>' +
    '<xf xfId="0" numFmtId="2" applyNumberFormat="1"/></cellXfs></styleSheet>',
}

const SHEET_START =
  `<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
  '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>' +
  `<cols><col min="1" max="${COLUMNS.length}" width="18" customWidth="1"/></cols><sheetData>`

function relationships(...all: readonly (readonly [type: string, target: string])[]): string {
  const entries = all.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  )
  return `<Relationships xmlns="${PACKAGE}/relationships">${entries.join('')}</Relationships>`
}

/** A new file at `path` of the rows, each a text for each of COLUMNS, under a row of their titles. */
export async function writeXlsx(path: string, pages: AsyncIterable<readonly (readonly string[])[]>) {
  const zip = await createZipFile(path)
  try {
    for (const [name, part] of Object.entries(PARTS)) await zip.add(name, (write) => write(XML + part))
    await zip.add('xl/worksheets/sheet1.xml', async (write) => {
      const titles = COLUMNS.map(({ title }) => `<c s="1"${inline(title)}</c>`)
      await write(`${XML}${SHEET_START}<row>${titles.join('')}</row>`)
      for await (const rows of pages) await write(rows.map(rowXml).join(''))
      await write('</sheetData></worksheet>')
    })
    await zip.finish()
  } finally {
    await zip.close()
  }
}

function rowXml(row: readonly string[]): string {
  const cells = row.map((text, index) => {
    const kind = COLUMNS[index]?.kind
    if (text === '') return '<c/>'
    if (kind === 'number') return `<c><v>${text}</v></c>`
    return kind === 'money' ? `<c s="2"><v>${text}</v></c>` : `<c${inline(text)}</c>`
  })
  return `<row>${cells.join('')}</row>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

function inline(text: string): string {
  return ` t="inlineStr"><is><t xml:space="preserve">${escapeText(text)}</t></is>`
}

function escapeText(text: string): string {
  return (
    text
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- XML has no way to write these
      .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
      // To a spreadsheet _x0041_ is the letter A, and _x005F_ a plain underscore.
      .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
      .replaceAll(/[&<>]/g, (character) => ENTITIES[character] ?? '')
  )
}
