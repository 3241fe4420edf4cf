import * as common from '@zxcvbn-ts/language-common'
import * as english from '@zxcvbn-ts/language-en'
import * as french from '@zxcvbn-ts/language-fr'

/** Several megabytes: import this file on demand. */
export const dictionary = {
  passwords: common.dictionary['passwords-common'],
  englishWords: english.dictionary['commonWords-en'],
  englishNames: english.dictionary['firstnames-en'],
  frenchWords: french.dictionary['commonWords-fr'],
  frenchNames: french.dictionary['firstnames-fr'],
}

export const graphs = common.adjacencyGraphs

export const translations = english.translations
