import { waitIn } from '../time.ts'
import type { Texts } from './en.ts'

const appIsWrong =
  'アプリに戻って、もう一度お試しください。同じことが起きる場合は、アプリの提供元にお知らせください。'

export const texts = {
  toAccount: 'アカウントを開く',
  toDocumentation: 'ドキュメント: 各エラーの意味（英語）',
  details: '開発者向けの詳細',
  code: 'エラー',
  description: '説明',
  trace: 'トレース ID',
  otherSite: (ours) =>
    `このフォームは、このサーバーのページから送信されたものではありません。${ours} を開いて、そこでもう一度お試しください。`,
  wait: (seconds) => `${waitIn('ja', seconds)}にもう一度お試しいただけます。`,
  other: { heading: 'うまくいきませんでした', advice: appIsWrong },
  byCode: {
    invalid_request: { heading: 'このリクエストは処理できません', advice: appIsWrong },
    invalid_client: { heading: 'このアプリは登録されていません', advice: appIsWrong },
    access_denied: {
      heading: 'この操作は許可されていません',
      advice: '許可されるべきだと思われる場合は、管理者にお問い合わせください。',
    },
    login_required: {
      heading: 'セッションが終了しました',
      advice: '元の場所に戻って、もう一度行ってください。ログインを求められます。',
    },
    not_found: {
      heading: 'ページが見つかりません',
      advice: 'アドレスを確認してください。リンクから来た場合、そのリンクは古くなっています。',
    },
    method_not_allowed: {
      heading: 'このページはありません',
      advice: '元の場所に戻って、もう一度行ってください。',
    },
    rate_limit_exceeded: {
      heading: 'リクエストが多すぎます',
      advice: '少し待ってから、ページを再読み込みしてください。',
    },
    temporarily_unavailable: {
      heading: '少々お待ちください',
      advice: 'サーバーが混み合っているか、起動中です。数秒後にページを再読み込みしてください。',
    },
    server_error: {
      heading: '問題が発生しました',
      advice:
        'お客様の操作が原因ではありません。もう一度お試しください。同じことが起きる場合は、管理者にお知らせください。',
    },
  },
} satisfies Texts
