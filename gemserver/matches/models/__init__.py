"""The database tables that hold matches.

The truth is the server part and the players' parts (hence the seed), the options and the moves that are not void;
position, ply, the seats that are waited for, scores and events are caches that `replay` can rebuild.
"""

from gemserver.matches.models.address import FormerAddress
from gemserver.matches.models.departure import Departure
from gemserver.matches.models.invitation import Invitation
from gemserver.matches.models.keyed_request import KeyedRequest
from gemserver.matches.models.match import IS_ASKED, IS_BOTS, DrawnSecret, Match, Move, Seat
from gemserver.matches.models.notification import NotificationChoice
from gemserver.matches.models.orders import SealedOrder, StoredPlan, Undo
from gemserver.matches.models.practice import PracticeOffer
from gemserver.matches.models.talk import ChatMessage, Note, Notice, Report
from gemserver.matches.models.time import Heartbeat, Holiday, Sitting, Stop

__all__ = [
    "IS_ASKED",
    "IS_BOTS",
    "ChatMessage",
    "Departure",
    "DrawnSecret",
    "FormerAddress",
    "Heartbeat",
    "Holiday",
    "Invitation",
    "KeyedRequest",
    "Match",
    "Move",
    "Note",
    "Notice",
    "NotificationChoice",
    "PracticeOffer",
    "Report",
    "SealedOrder",
    "Seat",
    "Sitting",
    "Stop",
    "StoredPlan",
    "Undo",
]
