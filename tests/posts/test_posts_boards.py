"""Authors and dates of posts in the markup of boards, each with what others take for a name or a date.

Each board is a template of one post, and what is around the posts. The texts of the posts begin with ``*``.
"""

# ruff: noqa: E501  markup as boards write it

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from scrapy_web2text.labels.pages import read_blocks
from scrapy_web2text.posts.posts import list_posts


class Board(NamedTuple):
    """A board: the template of a post, the page around the posts, and the forms of the dates that it shows."""

    post: str
    page: str = "<body><h1>The kettle leaks</h1><div class=nav><a href=/>Home</a></div>{posts}<footer>By us</footer>"
    date: str = "iso"


DAYS = {
    "iso": ("2024-03-05T10:00:00+00:00", "2024-03-06T11:30:00+00:00", "2024-03-07T12:45:00+00:00"),
    "american": ("Mar 5, 2024 10:00 am", "Mar 6, 2024 11:30 am", "Mar 7, 2024 12:45 pm"),
    "weekday": ("Tue Mar 05, 2024 10:00 am", "Wed Mar 06, 2024 11:30 am", "Thu Mar 07, 2024 12:45 pm"),
    "long": ("March 05, 2024, 10:00:00 AM", "March 06, 2024, 11:30:00 AM", "March 07, 2024, 12:45:00 PM"),
    "numbers": ("2024-03-05, 10:00 AM", "2024-03-06, 11:30 AM", "2024-03-07, 12:45 PM"),
    "ago": ("3 days ago", "2 days ago", "5 hours ago"),
    "none": (None, None, None),
}
NAMES = ("ada_lace", "Ben K.", "Cy99")

BOARDS = {
    "xenforo-1": Board(
        "<li id=post-{n} class='message' data-author='{name}'><div class='messageUserInfo'><div class=messageUserBlock>"
        "<div class=avatarHolder><a href=members/x.{n}/ class='avatar'></a></div><h3 class=userText>"
        "<a href=members/x.{n}/ class=username>{name}</a><em class=userTitle>Greenhorn</em></h3><div class=extraUserInfo>"
        "<dl class=pairsJustified><dt>Messages:</dt><dd>{n}</dd></dl><dl class=pairsJustified><dt>Likes Received:</dt>"
        "<dd>1</dd></dl></div></div></div><div class='messageInfo primaryContent'><div class=messageContent><article>"
        "<blockquote class='messageText'>*Text {n}<div class='bbCodeBlock bbCodeQuote' data-author='{other}'>"
        "<div class='attribution type'>{other} said:</div></div></blockquote></article></div><div class=messageMeta>"
        "<span class=authorEnd><a href=members/x.{n}/ class='username author'>{name}</a>, </span>"
        "<a href=threads/a.{n}/ class=datePermalink><span class=DateTime title='{date}'>{date}</span></a></div>"
        "<div class='likesSummary'><span class=LikeText><a class=username href=members/y.9/>{other}</a> likes this."
        "</span></div></div></li>",
        "<body><h1>Kettle</h1><ol class=messageList>{posts}</ol>",
        "american",
    ),
    "xenforo-2": Board(
        "<article class='message message--post' data-author='{name}' data-content=post-{n}><div class=message-inner>"
        "<div class='message-cell message-cell--user'><section class=message-user itemprop=author itemscope "
        "itemtype=Person><div class=message-avatar><span class=avatar-u1-m>A</span></div><h4 class=message-name>"
        "<a href=/members/x.{n}/ class=username itemprop=name>{name}</a></h4><h5 class=userTitle itemprop=jobTitle>Member"
        "</h5><dl class='pairs'><dt>Joined</dt><dd>Feb 8, 2013</dd></dl></section></div>"
        "<div class='message-cell message-cell--main'><header class=message-attribution><a href=/threads/k.{n}/ rel=nofollow>"
        "<time class=u-dt datetime='{date}' title=then>Yesterday</time></a><a href=#>#{n}</a></header>"
        "<div class=bbWrapper>*Text {n}<blockquote class='bbCodeBlock bbCodeBlock--quote'>"
        "<a class=bbCodeBlock-sourceJump>{other} said:</a></blockquote></div><div class=message-lastEdit>Last edited: "
        "<time datetime='2024-05-01T00:00:00'>May 1</time></div><div class=reactionsBar><bdi>{other}</bdi></div></div></div>"
        "</article>",
        "<body><h1>Kettle</h1><div class=block-body>{posts}</div><div class=similar><a class=username href=/members/z/>Zed</a>",
    ),
    "phpbb-2": Board(
        "<tr><td class=row1><span class=name><a name={n}></a><b>{name}</b></span><br><span class=postdetails>Guru<br><br>"
        "Joined: 18 Jul 2002<br>Posts: 20<br>Location: Bonn</span></td><td class=row1><table><tr><td>"
        "<a href='viewtopic.php?p={n}'><img alt=Post></a><span class=postdetails>Posted: {date}<span class=gen>&nbsp;</span>"
        "&nbsp; &nbsp;Post subject: kettle</span></td><td><a href='posting.php?mode=quote'><img alt=Quote></a></td></tr><tr>"
        "<td colspan=2><hr></td></tr><tr><td colspan=2><span class=postbody>*Text {n}</span><span class=gensmall></span></td>"
        "</tr></table></td></tr><tr><td class=row1><a href=#top class=nav>Back to top</a></td><td class=row1></td></tr>"
        "<tr><td class=spaceRow colspan=2></td></tr>",
        "<body><h1>Kettle</h1><table class=forumline><tr><th>Author</th><th>Message</th></tr>{posts}</table>",
        "weekday",
    ),
    "phpbb-3": Board(
        "<div id=p{n} class='post has-profile bg2'><div class=inner><dl class=postprofile><dt class=has-avatar>"
        "<div class=avatar-container></div><a href='./memberlist.php?mode=viewprofile&u={n}' class=username>{name}</a></dt>"
        "<dd class=profile-rank>Volunteer</dd><dd class=profile-posts><strong>Posts:</strong> <a href=x>12</a></dd>"
        "<dd class=profile-joined><strong>Joined:</strong> Thu Jan 01, 2015 8:00 am</dd></dl><div class=postbody>"
        "<h3><a href=#p{n}>Re: Kettle</a></h3><p class=author><a class=unread href=x title=Post><span class=sr-only>Post"
        "</span></a> <span class=responsive-hide>by <strong><a href='./memberlist.php?mode=viewprofile&u={n}' class=username>"
        "{name}</a></strong> » </span>{date}</p><div class=content>*Text {n}<blockquote><cite><a href=x>{other}</a> wrote:"
        " <div class=responsive-hide>Sun Feb 04, 2024 6:38 pm</div></cite></blockquote></div><div class=notice>Last edited by "
        "<a href='./memberlist.php?mode=viewprofile&u=9' class=username>{other}</a> on Fri May 03, 2024 1:00 am</div></div>"
        "</div></div>",
        date="weekday",
    ),
    "vbulletin-3": Board(
        "<table class=tborder id=post{n}><tr><td class=thead><a name=post{n}></a>{date}</td><td class=thead>#<a href=x>"
        "<strong>{n}</strong></a></td></tr><tr><td class=alt2 width=175><div id=postmenu_{n}><a class=bigusername "
        "href='member.php?u={n}'>{name}</a></div><div class=smallfont>Registered User</div><div class=smallfont>"
        "<div>Join Date: Mar 2016</div><div>Posts: 1</div></div></td><td class=alt1><div class=smallfont><strong>Kettle"
        "</strong></div><div id=post_message_{n}>*Text {n}</div></td></tr><tr><td class=alt2><div class=popup>{name}<a "
        "href='member.php?u={n}'>View Public Profile</a></div></td><td class=alt1><a href=x>Quote</a></td></tr></table>",
        date="american",
    ),
    "vbulletin-4": Board(
        "<li class='postbitlegacy postbitim postcontainer old' id=post_{n}><div class=posthead><span class='postdate old'>"
        "<span class=date>{date}</span></span><span class=nodecontrols><a class=postcounter href=x>#{n}</a></span></div>"
        "<div class=postdetails><div class=userinfo><div class=username_container><a rel=nofollow class='username offline' "
        "href='member.php?{n}'><strong>{name}</strong></a><ul><li><a class=siteicon_profile href='member.php?{n}'>"
        "View Profile</a></li></ul></div><span class=usertitle>Junior Member</span><dl class=userinfo_extra><dt>Join Date</dt>"
        "<dd>Nov 2014</dd></dl></div><div class=postbody><blockquote class='postcontent restore'>*Text {n}<div class="
        "bbcode_container><div class=bbcode_quote><div class=bbcode_postedby>Originally Posted by <strong>{other}</strong>"
        "</div></div></div></blockquote></div></div></li>",
        "<body><h1>Kettle</h1><ol id=posts class=posts>{posts}</ol>",
        "american",
    ),
    "vbulletin-5": Board(
        "<li data-node-id={n} class='b-post js-post' itemscope itemtype=Comment><div class=l-col><div class=b-userinfo>"
        "<div class='author h-text-size--14'><strong><a href='https://f.example/member/{n}-x' data-vbnamecard={n}>{name}</a>"
        "</strong></div><div class=usertitle>Senior Member</div><ul><li><label>Join Date:</label> <span>18 Oct 2009</span>"
        "</li><li><label>Posts:</label> <span>522</span></li></ul></div></div><div class=b-post__body><h2 class=b-post__title>"
        "Kettle</h2><div class=b-post__timestamp><time itemprop=dateCreated datetime='{date}'>05 Mar 24</time></div>"
        "<div class='js-post__content-text' itemprop=text>*Text {n}</div><div class=b-post__edit>Last edited by "
        "<a href='/member/9-y'>{other}</a>; <span class=time>01 May 2024, 10:00</span>.</div></div></li>",
        "<body><ul class=conversation-list>{posts}</ul>",
    ),
    "smf-2.0": Board(
        "<div class=windowbg><div class=post_wrapper><div class=poster><h4><a href='index.php?action=profile;u={n}' "
        "title='View the profile of {name}'>{name}</a></h4><ul><li class=postgroup>SMF Hero</li><li class=postcount>"
        "Posts: 376</li></ul></div><div class=postarea><div class=flow_hidden><div class=keyinfo><h5><a href=x>Re: Kettle"
        "</a></h5><div class=smalltext>« <strong>Reply #{n} on:</strong> {date} »</div></div></div><div class=post><div class="
        "inner>*Text {n}<div class=quoteheader><a href=x>Quote from: {other} on March 01, 2024, 01:00:00 AM</a></div></div>"
        "</div></div><div class=moderatorbar><div class=smalltext id=modified_{n}>« <em>Last Edit: May 01, 2024, 10:00:00 AM "
        "by {other}</em> »</div></div></div></div>",
        date="long",
    ),
    "mybb": Board(
        "<div class='post' id=post_{n}><div class=post_author><div class=author_avatar><a href=user-{n}.html><img></a></div>"
        "<div class=author_information><strong><span class=largetext><a href=user-{n}.html><span style='color:red'>{name}"
        "</span></a></span></strong><br><span class=smalltext>Big Board Owner</span></div><div class=author_statistics>"
        "Posts: 116<br>Threads: 23<br>Joined: Feb 2019</div></div><div class=post_content><div class=post_head>"
        "<span class=post_date>{date} <span class=post_edit><span class=edited_post>(This post was last modified: 2024-05-01, "
        "09:20 PM by <a href=user-9.html>{other}</a>.)</span></span></span></div><div class=post_body>*Text {n}</div></div>"
        "</div>",
        date="numbers",
    ),
    "invision-4": Board(
        "<article id=elComment_{n} class='cPost ipsBox ipsComment'><div class=cAuthorPane_mobile><h3 class='cAuthorPane_author'>"
        "<a href='https://f.example/profile/{n}-x/' class=ipsType_break title=\"Go to {name}'s profile\">{name}</a></h3>"
        "<a href=x>Posted <time datetime='{date}'>March 5</time></a></div><aside class=ipsComment_author><h3 class="
        "cAuthorPane_author><strong><a href='https://f.example/profile/{n}-x/' class=ipsType_break>{name}</a></strong></h3>"
        "<ul class='cAuthorPane_info'><li>Members</li><li><a href='/profile/{n}-x/content/' title='4 posts'>4</a></li></ul>"
        "</aside><div class=ipsColumn><div class=ipsType_reset>Posted <time datetime='{date}'>March 5</time></div><div class="
        "cPost_contentWrap><div data-role=commentContent><p>*Text {n}</p><blockquote class=ipsQuote data-ipsquote-username="
        "'{other}'><div class=ipsQuote_citation>On 3/1/2024 at 7:29 PM, <a>{other}</a> said:</div></blockquote></div></div>"
        "<ul class=ipsReact_reactions><li><a href='/profile/9-y/'>{other}</a></li></ul></div></article>",
    ),
    "discourse-noscript": Board(
        "<div id=post_{n} itemprop=comment itemscope class='topic-body crawler-post'><div class=crawler-post-meta>"
        "<span class=creator itemprop=author itemscope itemtype=Person><a itemprop=url rel=nofollow href=/u/x{n}>"
        "<span itemprop=name>{name}</span></a> (Full Name)</span><link itemprop=mainEntityOfPage href=x><span class="
        "crawler-post-infos><time itemprop=datePublished datetime='{date}' class=post-time>March 5</time><meta itemprop="
        "dateModified content='2024-05-01T00:00:00Z'><span itemprop=position>{n}</span></span></div><div class=post itemprop="
        "text><p>*Text {n}</p><aside class=quote data-username='{other}'><div class=title>{other}:</div></aside></div>"
        "<div itemprop=interactionStatistic><span class=post-likes>2 Likes</span></div></div>",
    ),
    "discourse-scripts": Board(
        "<div class=topic-post><article id=post_{n} data-post-id={n} data-user-id={n}><div class=row><div class=topic-avatar>"
        "<a class=trigger-user-card data-user-card='{name}' href=/u/x{n}><img class=avatar></a></div><div class="
        "'topic-body clearfix'><div class=topic-meta-data><div class='names trigger-user-card'><span class='first username'>"
        "<a href=/u/x{n} data-user-card='{name}'>{name}</a></span><span class=user-title>Regular</span></div><div class="
        "post-infos><div class='post-info post-date'><a class=post-date href=/t/1/{n}><span class=relative-date data-time="
        "{epoch} title=then>5h</span></a></div></div></div><div class=regular><div class=cooked><p>*Text {n} "
        "<a class=mention href=/u/y>@{other}</a></p></div></div></div></div></article></div>",
    ),
    "flarum": Board(
        "<div class=PostStream-item data-index={n}><article class='CommentPost Post'><div><header class=Post-header><ul>"
        "<li class=item-user><div class=PostUser><h3 class=PostUser-name><a href=/u/x{n}><span class='Avatar '>A</span>"
        "<span class=username>{name}</span></a></h3><ul class=PostUser-badges></ul></div></li><li class=item-meta><div class="
        "PostMeta><a class=Dropdown-toggle><time pubdate datetime='{date}' title=then data-humantime>3 days ago</time></a>"
        "<div class=Dropdown-menu><span class=PostMeta-number>Post #{n}</span> <span class=PostMeta-time><time pubdate datetime"
        "='{date}'>March 5</time></span></div></div></li></ul></header><div class=Post-body><p>*Text {n} <a class=PostMention"
        ">{other}</a></p></div><footer class=Post-footer><ul><li class=item-replies><div class=Post-mentionedBy><a href=/d/1/9>"
        "<span class=username>{other}</span></a> replied to this.</div></li></ul></footer></div></article></div>",
    ),
    "nodebb": Board(
        "<li component=post class=posts-list-item data-index={n} data-timestamp={epoch} data-username='{name}' itemprop=comment>"
        "<div class=clearfix><div class=icon><a href=/user/x{n}><span title='{name}' class=avatar>A</span><span component="
        "user/status>Offline</span></a></div><strong itemprop=author><a href=/user/x{n} data-username='{name}'>{name}</a>"
        "</strong><a href=/groups/staff class=badge><span class=badge-text>Staff</span></a><span>wrote on <a href=/post/{n} "
        "class=permalink><span class=timeago title='{date}'></span></a></span> <span component=post/editor>last edited by "
        "<span class=timeago title='Invalid Date'></span></span></div><div class=content component=post/content itemprop=text>"
        "<p>*Text {n}</p></div><div class=post-footer><a class=threaded-replies><span title='{other}' class=avatar>B</span>"
        "<span class=replies-count>1 Reply</span> <span class=replies-last>Last reply <span class=timeago title="
        "'2024-05-01T00:00:00Z'></span></span></a></div></li>",
        "<body><h1>Kettle</h1><ul component=topic class=posts>{posts}</ul>",
    ),
    "disqus": Board(
        "<li class=post id=post-{n}><div role=alert></div><div data-role=post-content class=post-content><div class=indicator>"
        "</div><div class='avatar hovercard'><a href='https://disqus.com/by/x{n}/' class=user><img></a></div><div class="
        "post-body><header class=comment__header><span class=post-byline><span class='author publisher-anchor-color'><a href="
        "'https://disqus.com/by/x{n}/' data-action=profile>{name}</a></span> <span class=parent><a class=parent-link href=#c9>"
        "{other}</a></span></span><span class=post-meta><span class='bullet time-ago-bullet'>•</span><a href=#comment-{n} "
        "data-role=relative-time class=time-ago title='{date}'>3 years ago</a></span></header><div class='post-body-inner'>"
        "<div class=post-message><p>*Text {n}</p></div></div><footer><ul><li class=voting><span class=vote-up>3</span></li>"
        "<li class=reply><a>Reply</a></li></ul></footer></div></div></li>",
        "<body><ul id=post-list class=post-list>{posts}</ul>",
        "american",
    ),
    "wordpress": Board(
        "<li id=comment-{n} class='comment even thread-even depth-1'><article id=div-comment-{n} class=comment-body><footer "
        "class=comment-meta><div class='comment-author vcard'><img class=avatar><b class=fn><a href='https://x.example' rel="
        "'external nofollow ugc' class=url>{name}</a></b> <span class=says>says:</span></div><div class=comment-metadata>"
        "<a href='#comment-{n}'><time datetime='{date}'>March 5, 2024 at 10:00 am</time></a></div></footer><div class="
        "comment-content><p>*Text {n}</p></div><div class=reply><a rel=nofollow class=comment-reply-link>Reply</a></div>"
        "</article></li>",
        "<body><h1>Kettle</h1><p>By <a rel=author href=/author/dee>Dee</a></p><ol class=comment-list>{posts}</ol>",
    ),
    "old-reddit": Board(
        "<div class='thing id-t1_{n} comment' data-author='{name}' data-type=comment><p class=parent><a name=c{n}></a></p>"
        "<div class=midcol><div class=arrow></div></div><div class='entry unvoted'><p class=tagline><a href=# class=expand>[–]"
        "</a><a href='https://old.reddit.com/user/x{n}' class='author may-blank id-t2_{n}'>{name}</a><span class=userattrs>"
        "</span> <span class='score unvoted' title=3>3 points</span> <time title=then datetime='{date}' class=live-timestamp>"
        "3 days ago</time>&nbsp;<a href=# class=numchildren>(2 children)</a></p><form class=usertext><div class="
        "usertext-body><div class=md><p>*Text {n}</p></div></div></form><ul class=flat-list><li><a class=bylink>permalink</a>"
        "</li></ul></div><div class=child></div></div>",
        "<body><div class=sitetable>{posts}</div><div class=side><a class=author href=/user/mod>mod</a></div>",
    ),
    "hacker-news": Board(
        "<tr class='athing comtr' id={n}><td><table><tr><td class=ind indent=0><img></td><td class=votelinks><center>"
        "<a id=up_{n}><div class=votearrow title=upvote></div></a></center></td><td class=default><div><span class=comhead>"
        "<a href='user?id={name}' class=hnuser>{name}</a> <span class=age title='{date}'><a href='item?id={n}'>3 days ago</a>"
        "</span> <span id=unv_{n}></span> <span class=navs>| <a href=#9 class=clicky>parent</a> | <a href=#8>next</a></span>"
        "</span></div><div class=comment><div class='commtext c00'>*Text {n}</div><div class=reply><p><font><u><a href="
        "'reply?id={n}'>reply</a></u></font></p></div></div></td></tr></table></td></tr>",
        "<body><table class=comment-tree>{posts}</table>",
    ),
    "stack-exchange": Board(
        "<div id=answer-{n} class='answer js-answer' itemprop=suggestedAnswer><div class=post-layout><div class=votecell><div "
        "class=js-vote-count itemprop=upvoteCount>18</div></div><div class='answercell post-layout--right'><div class="
        "'s-prose js-post-body' itemprop=text><p>*Text {n}</p></div><div class=mt24><a class=js-share-link>Share</a></div>"
        "<div class='post-signature'><div class=user-info><div class=user-action-time><a href=/posts/1/revisions title='show all"
        " edits'>edited <span title='2024-05-01 10:00:00Z' class=relativetime>May 1, 2024 at 10:00</span></a></div><div class="
        "user-details><a href=/users/9/y>{other}</a></div></div></div><div class=post-signature><div class=user-info><div class="
        "user-action-time>answered <span title='{date}' class=relativetime>Mar 5, 2024</span></div><div class=user-details "
        "itemprop=author itemscope><a href=/users/{n}/x>{name}</a><span class=d-none itemprop=name>{name}</span><div class=-flair"
        "><span class=reputation-score>159</span></div></div></div></div></div></div></div>",
        "<body><h1>Kettle</h1><p>Asked <time itemprop=dateCreated datetime='2024-01-01'>1 month ago</time></p>{posts}",
    ),
    "lemmy": Board(
        "<li class=comment><article id=comment-{n} class='details comment-node'><div class=ms-2><div class='d-flex'><button "
        "class=btn></button><span class=me-2><a class='person-listing d-inline-flex' title='{name}' href=/u/x{n}><span>{name}"
        "</span></a></span><span class='badge'>M</span><div class=me-lg-5></div><span class='moment-time pointer' "
        "data-tippy-content='{date}'>1 year ago</span></div><div class=comment-content><div class=md-div><p>*Text {n}</p></div>"
        "</div></div></article></li>",
        "<body><ul class=comments>{posts}</ul>",
        "american",
    ),
    "mastodon": Board(
        "<article><div class='status__wrapper'><div class='status'><div class=status__info><a href=/@x{n}/{n} class="
        "status__relative-time><time datetime='{date}' title=then>3d</time></a><a href=/@x{n} class=status__display-name>"
        "<div class=status__avatar></div><span class=display-name><bdi><strong class=display-name__html>{name}</strong></bdi> "
        "<span class=display-name__account>@x{n}</span></span></a></div><div class=status__content><p>*Text {n} <span class="
        "h-card><a href='https://m.example/@y' class='u-url mention'>@<span>{other}</span></a></span></p></div><div class="
        "status__action-bar><span>0</span></div></div></div></article>",
        "<body><div class=scrollable>{posts}</div>",
    ),
    "rows-without-names": Board(
        "<tr><td rowspan=2><p><a href='index.php?user_profile={n}'>{name}</a></p><p>{date}</p></td><td><strong>Kettle</strong>"
        "</td></tr><tr><td class=forum_message>*Text {n}</td></tr><tr><td><a href=x>Answer</a></td></tr>",
        "<body><table>{posts}</table>",
        "american",
    ),
    "bold-names": Board(
        "<div class=item><div class='font-bold'>{name} · <span>{date}</span></div><p class=t>*Text {n}</p><a>Reply</a></div>",
        date="ago",
    ),
    "header-beside-the-body": Board(
        "<div class=reply-header><span class=reply-post-date>{date}</span><a href=#{n}>#{n}</a></div><div class=reply><div "
        "class=reply-author><a href=/users/x{n}/><span class=author-name>{name}</span></a><div class=author-role>Participant"
        "</div></div><div class=reply-content><p>*Text {n}</p></div></div>",
        date="american",
    ),
}  # fmt: skip


def read_posts(board, n_posts):
    dates = DAYS[board.date]
    posts = [
        board.post.format(
            n=n, name=NAMES[n % 3], other=NAMES[(n + 1) % 3], date=dates[n % 3],
            epoch=(1709632800000, 1709724600000, 1709815500000)[n % 3],
        )
        for n in range(n_posts)
    ]  # fmt: skip
    found = read_blocks(board.page.format(posts="".join(posts)))
    is_text = np.array([text.startswith("*") for text in found.texts])
    return [each.post for each in list_posts(found.page, found.blocks, is_text)]


@pytest.mark.parametrize("n_posts", [1, 2, 3, 7])
@pytest.mark.parametrize("name", sorted(BOARDS.keys() - {"bold-names"}))
def test_each_post_has_its_own_author_and_date(name, n_posts):
    board = BOARDS[name]
    posts = read_posts(board, n_posts)
    wanted = [(NAMES[n % 3], DAYS[board.date][n % 3]) for n in range(n_posts)]
    assert [(post.author, post.date) for post in posts] == wanted


@pytest.mark.parametrize("end", ["No leaks since.", "I joined last week.", "The last edit", "Written by"])
def test_the_end_of_a_post_tells_nothing_of_the_next_post(end):
    board = BOARDS["header-beside-the-body"]
    posts = read_posts(board._replace(post=board.post.replace("*Text {n}", "*Text {n}. " + end)), 4)
    wanted = [(NAMES[n % 3], DAYS[board.date][n % 3]) for n in range(4)]
    assert [(post.author, post.date) for post in posts] == wanted


def test_a_name_that_only_its_place_shows_is_found_if_there_are_several():
    assert [post.author for post in read_posts(BOARDS["bold-names"], 2)] == [*NAMES[:2]]
    assert read_posts(BOARDS["bold-names"], 1)[0].author is None


def test_the_names_of_one_author_who_wrote_all_posts_are_found():
    board = BOARDS["phpbb-2"]
    alone = board._replace(post=board.post.replace("{name}", "ada_lace"))
    assert {post.author for post in read_posts(alone, 4)} == {"ada_lace"}


@pytest.mark.parametrize("name", ["old-reddit", "wordpress"])
def test_a_post_without_a_name_does_not_have_that_of_another(name):
    board = BOARDS[name]
    unnamed = board.post.replace("{name}", "").replace("{date}", "")
    posts = read_posts(board._replace(page=board.page.replace("{posts}", "{posts}" + unnamed.format_map(LAST))), 3)
    assert [post.author for post in posts] == [*NAMES, None]


LAST = {"n": 9, "other": "", "epoch": ""}


def test_replies_inside_of_posts_have_their_own_names():
    board = BOARDS["old-reddit"]
    outer, inner = (board.post.format(n=n, name=NAMES[n], other="", date=DAYS["iso"][n]) for n in (0, 1))
    nested = outer.replace("<div class=child></div>", f"<div class=child>{inner}</div>")
    found = read_blocks(board.page.format(posts=nested + board.post.format(n=2, name=NAMES[2], date=DAYS["iso"][2])))
    posts = list_posts(found.page, found.blocks, np.array([text.startswith("*") for text in found.texts]))
    assert [(each.post.author, each.post.date) for each in posts] == [*zip(NAMES, DAYS["iso"], strict=True)]
